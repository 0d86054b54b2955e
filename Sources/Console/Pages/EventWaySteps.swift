import API
import APIModel
import Domain

/// An event's way as steps: from the store's signature to the pages and to the app's backend.
struct EventWaySteps {
    let visit: Visit
    let answer: EventAnswer
    /// The newest message to each address about the event's user.
    let deliveries: [HookDeliveriesAnswer.Delivery]

    func markup() -> Markup { (own + told).joined() }

    /// `after` is in microseconds after the first byte; `note` stands in its place. Nothing for a step that was not taken.
    private func step(_ name: String, at: String? = nil, after: Int64? = nil, note: String? = nil) -> Markup {
        guard at != nil || after != nil else { return .empty }
        return visit["event.step"].render([
            "name": name, "at": visit.time(at, as: ConsoleTime.milliseconds),
            "after": note ?? after.map(EventStory.milliseconds) ?? "",
        ])
    }

    private var own: [Markup] {
        let (event, way) = (answer.event, answer.way)
        return [
            step("Signed by the store", at: event.occurredAt, note: EventStory.ahead(of: event)),
            step("First byte", at: event.receivedAt, after: way.map { _ in 0 }),
            step("Proven genuine", after: way?.verified),
            step("Committed", at: event.at, after: way?.committed),
            step(way?.pages == 0 ? "Rendered for whoever opens a page" : "Rendered", after: way?.rendered),
            step("First socket", after: way?.firstPage),
            step(
                "Last socket, of \(StoreWords.count(way?.pages ?? 0, "page", "pages"))",
                after: way.flatMap { $0.pages > 0 ? $0.lastPage : nil }
            ),
        ]
    }

    /// What the event itself has caused. A newer state takes the place of one that still waits.
    private var told: [Markup] {
        let start = answer.event.receivedAt?.instant
        return deliveries.filter { $0.cursor == answer.event.cursor }.map { delivery in
            guard let end = delivery.endedAt else {
                return step("\(delivery.url) is still to be told, and waits since", at: delivery.queuedAt)
            }
            let word = delivery.state == "failed" ? "Given up" : "Told the backend"
            let after = start.flatMap { start in end.instant.map { $0.milliseconds - start.milliseconds } }
            return step("\(word): \(delivery.url)", at: end, after: after.map { $0 * 1000 })
        }
    }

    /// All messages about the user, as they are now.
    func table() -> Markup {
        guard !deliveries.isEmpty else { return .empty }
        let rows = deliveries.map { delivery in
            visit["event.hook"].render([
                "url": delivery.url, "type": visit.named(StoreWords.message(delivery.type), delivery.type),
                "state": StoreWords.delivery(delivery.state), "ended": visit.time(delivery.endedAt),
                "reason": delivery.reason,
            ])
        }
        return visit["event.hooks"].render(["rows": rows.joined()])
    }
}

/// What an event's members mean, in sentences.
enum EventStory {
    /// `hasOrder`: the order that its token names is known.
    static func sentence(of event: FeedItem, hasOrder: Bool, changes: [String] = []) -> String {
        if let reason = event.reason {
            let outcome = StoreWords.outcome(of: event)?.words ?? ""
            let why = event.outcome == Outcome.unclaimed.rawValue ? " " + whyUnclaimed(event, hasOrder: hasOrder) : ""
            return "\(outcome.prefix(1).uppercased())\(outcome.dropFirst()): \(reason).\(why)"
        }
        guard let word = event.state else { return withoutContract(event) }
        let state = StoreWords.state(word)
        let preposition = opens(word) ? "until" : "since"
        let until =
            event.accessUntil?.instant.map { ", \(preposition) \($0.longDate)" } ?? ""
        let end = ([until] + changes).joined(separator: "; ") + "." + sandbox(event) + moved(event)
        guard let before = event.previousState.map(StoreWords.state) else {
            return "With it the contract began: “\(state)”\(end)"
        }
        if before == state { return "The contract stayed “\(state)”\(end)" }
        return "The contract changed from “\(before)” to “\(state)”\(end)"
    }

    private static func withoutContract(_ event: FeedItem) -> String {
        if event.kind == EventKind.userErased.rawValue {
            return "Somebody with a key of yours erased a user. Who it was, when and why stands in the audit, without "
                + "the user’s name (GET /audit, paycast tail --audit). A new purchase, or Restore purchases in the app, "
                + "makes a purchase theirs anew."
        }
        if event.isErased { return "It was about a user who was erased since: only that it came, and when, is kept." }
        return event.kind == EventKind.broadcast.rawValue
            ? "Your app sent it to its pages." : "The ledger committed it by itself."
    }

    /// Why a purchase that was paid opens nothing.
    private static func sandbox(_ event: FeedItem) -> String {
        guard isOfSandboxOnly(event) else { return "" }
        return " It opens nothing: it was made in the Sandbox, and the user was not in PAYCAST_SANDBOX_USERS."
    }

    private static func isOfSandboxOnly(_ event: FeedItem) -> Bool {
        guard event.environment == StoreEnvironment.sandbox.rawValue, event.active == false, opens(event.state)
        else { return false }
        guard let end = event.accessUntil?.instant else { return true }
        return event.at.instant.map { end > $0 } ?? true
    }

    /// It names only the owner; who else gained or lost it depends on PAYCAST_TRANSFERS and on the store.
    private static func moved(_ event: FeedItem) -> String {
        guard event.kind == EventKind.contractTransferred.rawValue else { return "" }
        return " It concerns more than one user: whose pages were told what stands below, under “Fragments for pages”."
    }

    /// Why no user was known for a purchase.
    static func whyUnclaimed(_ event: FeedItem, hasOrder: Bool = false) -> String {
        guard let order = event.order else { return "It carries no order token." }
        guard !hasOrder else { return "It came before the order whose token it carries." }
        return "It carries the order token \(order), and no order of that name is known here "
            + "(made at another server or database?)."
    }

    /// Whether a contract opened access: of one that nobody has, only its state is known.
    static func access(after event: FeedItem) -> String {
        let end = event.accessUntil?.instant.map { ", until \(ConsoleTime.text($0))" } ?? ""
        if let isActive = event.active {
            if isActive { return "yes\(end)" }
            return isOfSandboxOnly(event) ? "no, since it is of the Sandbox" : "no"
        }
        let access = access(by: event.state)
        return access == "no" ? access : "\(access)\(end), for nobody yet"
    }

    static func access(by state: String?) -> String {
        opens(state) ? "as far as the state says, yes" : "no"
    }

    private static func opens(_ state: String?) -> Bool {
        state.flatMap { ContractState(rawValue: $0) }?.givesAccess == true
    }

    /// How many pages took its fragments.
    static func taken(_ way: EventWay?) -> String {
        guard let way, way.committed != nil else {
            return "This node does not know, or has forgotten, whether a page took them."
        }
        guard way.pages > 0 else { return "No page was open at this node; it is shown as soon as one opens." }
        return "\(StoreWords.count(way.pages, "open page", "open pages")) of this node took them at once."
    }

    /// Stores tell whole seconds, and clocks that are well kept differ by one or two: nobody can mend less than this.
    private static let noticeable = Duration.seconds(5)

    /// The store's date is later than the arrival: a word about clocks, since nothing arrives before it was signed.
    static func ahead(of event: FeedItem) -> String? {
        guard let signed = event.occurredAt?.instant,
            let received = event.receivedAt?.instant, signed > received + noticeable
        else { return nil }
        return "the store's clock is \((signed.milliseconds - received.milliseconds + 500) / 1000) s ahead of ours"
    }

    static func note(on way: EventWay?) -> String {
        guard let way else {
            return
                "What the ledger knows. More is known at the node that received it, of its newest 1,000 since its start."
        }
        let again =
            switch way.duplicates {
            case 0: "The store has not sent it again."
            case 1: "The store has sent it once more since."
            default: "The store has sent it \(way.duplicates) more times since."
            }
        return "Through this node. \(again)"
    }

    /// In words; nil for no date.
    static func date(_ iso8601: String?) -> String? {
        iso8601?.instant.map(ConsoleTime.text)
    }

    /// `1.4 ms`.
    static func milliseconds(_ microseconds: Int64) -> String { "\(Double(microseconds / 10) / 100) ms" }
}
