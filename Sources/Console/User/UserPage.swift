import API
import APIModel
import Domain
import HTTP
import Pages

/// `/console/users/{user}`: what a user has, and why; what would change it; and all that happened.
struct UserPage: ConsolePage {
    let user: UserID

    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let facts = try UserFacts(of: user, visit)
        let sentences = UserSentences(
            facts.record,
            entitlements: facts.entitlements,
            events: facts.events.events,
            now: visit.now,
            namesOthers: visit.session.user == nil,
            movesBack: follows(visit)
        )
        let (tables, refusals) = (UserTables(visit: visit, user: user), RefusalTable(visit: visit))
        let lead = facts.record.contracts.first?.summary
        let body = visit["user"].render([
            "done": done(visit) + found(facts.record, visit), "user": user.text, "what": sentences.what,
            "access": sentences.access,
            "tone": facts.record.paidTwice == nil ? lead.map { StoreWords.tone($0) } ?? "quiet" : "warn",
            "next": sentences.next,
            "cause": cause(sentences, visit) + refunds(facts.record, visit) + refusals.hint(facts.record)
                + PurchaseHints(visit, facts).markup(),
            "facts": visit.facts([
                ("Stream", facts.record.stream), ("Language", facts.record.locale ?? "not told by the app"),
                ("Time zone", facts.record.timeZone ?? "not told by the app"),
            ]),
            "actions": UserAction.links(user, visit),
            "picture": TimeLinePicture(visit: visit).markup(facts), "entitlements": tables.entitlements(facts),
            "contracts": tables.contracts(facts), "refusals": refusals.markup(facts.record.refusals),
            "purchases": tables.purchases(facts), "orders": tables.orders(facts),
            "events": tables.events(facts, isFirst: visit.query["before"] == nil),
            "pages": tables.pages(facts), "hooks": tables.hooks(facts.hooks), "audit": tables.audit(facts.audit),
        ])
        return visit.page("User \(InertText.of(user.text))", body)
    }

    /// Whether a purchase follows who restores it: the policy `PAYCAST_TRANSFERS`.
    private func follows(_ visit: Visit) -> Bool {
        visit.facts().contains { $0.name == "Transfers" && $0.value == "transfer" }
    }

    /// What has just been done here.
    private func done(_ visit: Visit) -> Markup {
        guard let mark = visit.query["done"], let text = UserAction.done(mark, user, visit) else { return .empty }
        return visit["user.done"].render(["text": text])
    }

    /// What a search by another name has found here; nothing for what the page does not have.
    private func found(_ record: UserAnswer, _ visit: Visit) -> Markup {
        guard let name = visit.query["found"] else { return .empty }
        let (kind, facts): (String, String)
        var move = ""
        if let item = record.contracts.map(\.summary).first(where: { $0.contract.hasSameBytes(as: name) }) {
            (kind, facts) = ("a contract", "\(StoreWords.store(item.provider)), \(item.product)")
            if follows(visit), item.provider != Provider.paycast.rawValue {
                move = "To move it: the buyer restores purchases when logged in as the other user."
            }
        } else if let order = record.orders.first(where: { $0.order.hasSameBytes(as: name) }) {
            (kind, facts) = ("an order", order.product)
        } else {
            return .empty
        }
        return visit["user.found"].render(["name": name, "kind": kind, "user": user.text, "facts": facts, "move": move])
    }

    /// What Apple asks about the user's purchases: somebody should answer in time.
    private func refunds(_ record: UserAnswer, _ visit: Visit) -> Markup {
        // Whoever came by a link for this user has no other page.
        let hasLink = visit.may(.act) && visit.session.user == nil
        return record.refunds.map { asked in
            visit[hasLink ? "user.refund" : "user.refund_without_link"].render([
                "id": Field.part(asked.transaction), "product": asked.product, "until": visit.time(asked.deadline),
                "left": RefundPage.left(asked, visit),
            ])
        }.joined()
    }

    private func cause(_ sentences: UserSentences, _ visit: Visit) -> Markup {
        guard visit.session.user == nil else { return .empty }
        let event = sentences.cause.map { visit["user.cause"].render(["id": Field.part($0.cursor)]) }
        let owner = sentences.newOwner.map { owner in
            visit[event == nil ? "user.owner" : "user.new_owner"].render(["id": Field.part(owner), "user": owner.text])
        }
        return (event ?? .empty) + (owner ?? .empty)
    }
}

/// `/console/users/{user}/preview`: what the user's open pages show, for a frame that runs nothing.
struct UserPreviewPage: ConsolePage {
    let user: UserID

    /// The fragments' HTML is the app's own, and is not trusted: this page is a sandbox that loads nothing but a style sheet.
    static let policy = "default-src 'none'; style-src 'self'; sandbox; frame-ancestors 'self'; base-uri 'none'"

    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let answer = try visit.api.get(UserPagesAnswer.self, from: .userPages(user: user))
        let shown = answer.shown.map { $0.html ?? "<p>This part is made by your own server.</p>" }.joined(
            separator: "\n"
        )
        let head =
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Preview</title>"
            + "<link rel=\"stylesheet\" href=\"/console/assets/look.css\">"
            + "<link rel=\"stylesheet\" href=\"/console/assets/console.css\"><body class=\"preview\">"
        var response = Response(
            status: 200,
            contentType: "text/html; charset=utf-8",
            body: head + (shown.isEmpty ? "<p>Nothing has been sent to this user's pages.</p>" : shown)
        )
        response.headers.append(("Content-Security-Policy", UserPreviewPage.policy))
        return response
    }
}

/// All that the page asks the API for. What the key may not see is nil, and so is what cannot be told at the moment.
struct UserFacts {
    let record: UserAnswer
    /// The names of the user's entitlements in the catalog's order, the main one first.
    let entitlements: [String]
    /// The newest, by which the page says what the user has and why.
    let events: UserEventsAnswer
    /// Those that the page lists: older ones, if it was asked for them.
    let listed: UserEventsAnswer
    /// The newest of these that changed the user's pages, with its way to them.
    let newestTold: EventAnswer?
    /// The newest charges.
    let purchases: PurchasesAnswer?
    let pages: UserPagesAnswer?
    let hooks: [HookDeliveriesAnswer.Delivery]?
    let audit: [AuditItem]?

    static let pageSize = "50"

    init(of user: UserID, _ visit: Visit) throws(ConsoleError) {
        let limit = (name: "limit", value: UserFacts.pageSize)
        record = try visit.api.get(from: .user(user))
        entitlements = UserFacts.ordered(record.entitlements.keys.sorted(), visit)
        events = try visit.api.get(from: .userEvents(user: user), query: [limit])
        if let before = visit.query["before"] {
            listed = try visit.api.get(from: .userEvents(user: user), query: [limit, ("before", before)])
        } else {
            listed = events
        }
        let stream = record.stream
        newestTold = listed.events.first { $0.fragments.contains { $0.stream.hasSameBytes(as: stream) } }
            .flatMap { try? visit.api.get(EventAnswer.self, from: .event(id: $0.cursor)) }
        purchases = try? visit.api.get(from: .userPurchases(user: user), query: [(name: "limit", value: "20")])
        pages = try? visit.api.get(UserPagesAnswer.self, from: .userPages(user: user))
        let query = [(name: "user", value: user.text)]
        // A key that lacks the right is refused without a question.
        let told = try? visit.api.get(HookDeliveriesAnswer.self, from: .hookDeliveries, query: query)
        hooks = told?.deliveries
        let acts = try? visit.api.get(AuditAnswer.self, from: .audit, query: query + [("limit", "20")])
        audit = acts?.entries
    }

    private static func ordered(_ names: [String], _ visit: Visit) -> [String] {
        guard names.count > 1 else { return names }
        let listed = (try? visit.api.get(CatalogAnswer.self, from: .catalog))?.entitlements.map(\.name) ?? []
        // Between the two questions there may have been another catalog.
        return listed.filter(names.contains) + names.filter { !listed.contains($0) }
    }

    /// What an event made for this user's pages: a move makes something for the other user's, too.
    func fragments(_ event: FeedItem) -> [FragmentItem] {
        event.fragments.filter { $0.stream.hasSameBytes(as: record.stream) }
    }
}
