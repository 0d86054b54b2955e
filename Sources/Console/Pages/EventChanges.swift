import API
import APIModel
import Domain
import Pages

/// What an event changed: its contract before and after.
struct EventChanges {
    private typealias Row = (name: String, before: String, after: String)

    private let event: FeedItem
    /// The event that had made the contract what it was; nil if it is not among the user's newest before this one.
    private let former: FeedItem?
    /// Product and price, where they changed.
    private let goods: [Row]
    private let visit: Visit

    init(_ answer: EventAnswer, _ visit: Visit) {
        let event = answer.event
        let former = EventChanges.former(of: event, visit)
        let told = former.flatMap { try? visit.api.get(EventAnswer.self, from: .event(id: $0.cursor)) }
        let all: [(name: String, before: String?, after: String?)] = [
            ("Product", former?.product, event.product),
            ("Price", EventChanges.price(told?.statement), EventChanges.price(answer.statement)),
        ]
        goods = all.compactMap { row -> Row? in
            guard let before = row.before, let after = row.after, !before.hasSameBytes(as: after) else { return nil }
            return (name: row.name, before: before, after: after)
        }
        (self.event, self.former, self.visit) = (event, former, visit)
    }

    /// `its product changed from a to b`, for a sentence.
    var words: [String] { goods.map { "its \($0.name.lowercased()) changed from \($0.before) to \($0.after)" } }

    func markup() -> Markup {
        guard event.state != nil || event.previousState != nil else {
            let text = event.isErased ? "What it changed was erased with the user." : "It changed no contract."
            return visit.nothing(text)
        }
        let before = former.map(EventStory.access(after:)) ?? EventStory.access(by: event.previousState)
        let rows = [
            row("State", state(event.previousState, none: "nothing was known of it"), state(event.state, none: "")),
            row("Access", visit.named(before, nil), visit.named(EventStory.access(after: event), nil)),
        ]
        let changed = goods.map { row($0.name, visit.named($0.before, nil), visit.named($0.after, nil)) }
        return visit["event.changes"].render(["rows": (rows + changed).joined()])
    }

    private func row(_ name: String, _ before: Markup, _ after: Markup) -> Markup {
        visit["event.change"].render(["name": name, "before": before, "after": after])
    }

    private func state(_ state: String?, none: String) -> Markup {
        visit.named(state.map(StoreWords.state) ?? none, state)
    }

    private static func price(_ statement: StatementItem?) -> String? {
        StoreWords.price(statement?.price, currency: statement?.currency)
    }

    private static func former(of event: FeedItem, _ visit: Visit) -> FeedItem? {
        guard let user = event.user, let contract = event.contract, let state = event.previousState else { return nil }
        let query = [(name: "before", value: event.cursor), (name: "limit", value: "50")]
        let found = try? visit.api.get(UserEventsAnswer.self, from: .userEvents(user: user), query: query)
        return found?.events.first { other in
            other.provider == event.provider && other.state == state
                && other.contract.map { $0.utf8.elementsEqual(contract.utf8) } ?? false
        }
    }
}

extension FeedItem {
    /// It was about a user who was erased: only that it happened is kept.
    var isErased: Bool {
        kind == EventKind.userErased.rawValue
            || provider != nil && event == nil && contract == nil && user == nil && state == nil
    }
}

/// What an event claims beside what the ledger has, for one that contradicts the order that its token names.
enum EventSides {
    /// Those that make a contradiction by themselves.
    private static let telling: Set = ["Store", "Group", "Kind"]

    /// Nil for any other event, and once the order is gone.
    static func markup(_ answer: EventAnswer, order: OrderItem?, _ visit: Visit) -> Markup? {
        let (event, statement) = (answer.event, answer.statement)
        guard event.outcome == Outcome.quarantined.rawValue, let order else { return nil }
        let contracts = order.purchases.map(\.contract).joined(separator: ", ")
        // What the event says, and the ledger; nil where it says nothing.
        let rows: [(name: String, claimed: String?, known: String?)] = [
            ("User", statement?.user?.text, order.user.text),
            ("Store", event.provider.map(StoreWords.store), order.provider.map(StoreWords.store)),
            ("Product", event.product, order.product), ("Group", statement?.group, order.group),
            ("Kind", (statement?.kind).map(kind), order.kind.map(kind)),
            ("Contract", event.contract, contracts.isEmpty ? nil : contracts),
            ("Who has that contract", nil, owner(of: event.contract, visit)),
        ]
        let cells = rows.map { name, claimed, known in
            let differs = claimed != nil && known != nil && claimed != known
            return visit[differs && telling.contains(name) ? "event.contradiction" : "event.side"].render([
                "name": name, "claimed": claimed ?? "not said", "known": known ?? "not said",
            ])
        }
        return visit["event.sides"].render(["rows": cells.joined()])
    }

    /// Stores do not tell all one-time kinds apart.
    private static func kind(_ kind: String) -> String { kind == "subscription" ? "subscription" : "bought once" }

    /// Nil for no contract, and without an answer.
    static func owner(of contract: String?, _ visit: Visit) -> String? {
        guard let contract,
            let found = try? visit.api.get(SearchAnswer.self, from: .search, query: [("q", contract)]).found
        else { return nil }
        return found.first { $0.kind == "contract" }?.user?.text ?? "nobody"
    }
}
