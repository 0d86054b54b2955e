import API
import APIModel
import Domain
import Encoding
import HTTP
import Pages

/// `/console/events/{id}`: one event, what decided about it, and its way. The store's own words only by a form, since the
/// audit says who has read them.
struct EventPage: ConsolePage {
    /// The store's id, or a cursor.
    let id: String

    func show(_ visit: Visit) throws(ConsoleError) -> Response { try page(visit, withBody: false) }

    func act(_ visit: Visit, form: Query) throws(ConsoleError) -> Response { try page(visit, withBody: true) }

    private func page(_ visit: Visit, withBody: Bool) throws(ConsoleError) -> Response {
        if withBody { try visit.session.require(.personal) }
        let query = withBody ? [(name: "body", value: "true")] : []
        let answer = try visit.api.get(EventAnswer.self, from: .event(id: id), query: query)
        let event = answer.event
        let order = try order(event.order, visit)
        let title = EventNames.title(event.kind)
        let changes = EventChanges(answer, visit)
        let way = EventWaySteps(visit: visit, answer: answer, deliveries: try deliveries(event, visit))
        let body = visit["event"].render([
            "title": title, "words": EventNames.ownWords(event) ?? event.kind,
            "sentence": EventStory.sentence(of: event, hasOrder: order != nil, changes: changes.words),
            "newer": newer(answer.newer, visit) + claim(event, visit),
            "facts": facts(event, hasOrder: order != nil, visit),
            "sides": EventSides.markup(answer, order: order, visit), "way_note": EventStory.note(on: answer.way),
            "way": way.markup(), "hooks": way.table(), "changes": changes.markup(),
            "fragments": fragments(answer, visit), "statement": statement(answer, visit),
            "body": words(event, withBody: withBody, visit),
        ])
        return visit.page("Event: \(title)", body)
    }

    /// Nil if no order has the token.
    private func order(_ token: String?, _ visit: Visit) throws(ConsoleError) -> OrderItem? {
        guard let token else { return nil }
        do throws(ConsoleError) {
            return try visit.api.get(OrderItem.self, from: .order(token: token))
        } catch {
            guard case .notFound = error else { throw error }
            return nil
        }
    }

    private func newer(_ newer: FeedItem?, _ visit: Visit) -> Markup {
        guard let newer else { return .empty }
        return visit["event.newer"].render(["id": Field.part(newer.cursor), "at": visit.time(newer.occurredAt)])
    }

    /// The way to give an unclaimed purchase to somebody.
    private func claim(_ event: FeedItem, _ visit: Visit) -> Markup {
        guard event.outcome == Outcome.unclaimed.rawValue, let id = event.event else { return .empty }
        guard visit.may(.act) else { return visit["event.may_not_claim"].render() }
        return visit["event.claim"].render(["id": Field.part(id)])
    }

    private func fact(_ name: String, _ value: Markup?, _ visit: Visit) -> Markup {
        value.map { visit["event.marked"].render(["name": name, "value": $0]) } ?? .empty
    }

    /// Only an order that is known leads anywhere.
    private func facts(_ event: FeedItem, hasOrder: Bool, _ visit: Visit) -> Markup {
        func link(_ name: String, _ text: String?, to address: (String) -> String) -> Markup {
            let value = text.map { text in
                visit["event.link"].render(["address": Field(address(text)), "text": text])
            }
            return fact(name, value, visit)
        }
        func search(_ text: String) -> String { "search?q=\(PercentEncoding.encode(text))" }
        let store = event.provider.map { _ in StoreWords.source(event) }
        let facts: [Markup] = [
            fact("Outcome", StoreWords.outcome(of: event).map { visit.named($0.words, event.outcome) }, visit),
            fact("Our name for it", visit.named(EventNames.title(event.kind), event.kind), visit),
            visit.facts([
                ("Store", store), ("Product", event.product), ("Event", event.event), ("Cursor", event.cursor),
            ]),
            link("User", event.user?.text) { "users/\(ConsoleAddress.part(UserID($0)))" },
            link("Contract", event.contract, to: search),
            hasOrder
                ? link("Order", event.order, to: search)
                : visit.facts([("Order token (no such order here)", event.order)]),
        ]
        return facts.joined()
    }

    /// What the backend was told about the event's user; nothing for a key that may not see it.
    private func deliveries(
        _ event: FeedItem,
        _ visit: Visit
    ) throws(ConsoleError) -> [HookDeliveriesAnswer.Delivery] {
        guard let user = event.user, visit.may(.operate) else { return [] }
        let query = [(name: "user", value: user.text)]
        let found = try visit.api.get(HookDeliveriesAnswer.self, from: .hookDeliveries, query: query)
        return found.deliveries.filter { $0.type != HookType.userErased.rawValue }
    }

    private func fragments(_ answer: EventAnswer, _ visit: Visit) -> Markup {
        let fragments = answer.event.fragments
        guard !fragments.isEmpty else {
            return visit.nothing("No page was told anything.")
        }
        let rows = fragments.map { fragment in
            visit["event.fragment"].render([
                "stream": fragment.stream, "action": fragment.action, "target": fragment.target,
                "template": fragment.fragment,
            ])
        }
        return visit["event.fragments"].render(["taken": EventStory.taken(answer.way), "rows": rows.joined()])
    }

    /// By the list of the store, and how Paycast reads it.
    private func statement(_ answer: EventAnswer, _ visit: Visit) -> Markup {
        let (event, item) = (answer.event, answer.statement)
        guard event.type != nil else { return visit.nothing("No store has said this.") }
        let read = fact("Paycast reads", item?.state.map { visit.named(StoreWords.state($0), $0) }, visit)
        let end = (name: EventPage.end(event, item), value: EventStory.date(item?.accessUntil))
        let facts = read + visit.facts([end])
        let none =
            event.isErased
            ? "What it said was erased with the user."
            : "It says nothing of a contract, or its words are older than the settings keep them."
        return visit["event.statement"].render([
            "note": item == nil ? none : "", "facts": facts + visit.facts(StoreFields.facts(of: event, item)),
        ])
    }

    /// What the store's date ends. Whether there is access is for Paycast to say: a refund ends it earlier.
    private static func end(_ event: FeedItem, _ item: StatementItem?) -> String {
        guard event.provider != Provider.paycast.rawValue else { return "Granted until" }
        return item?.state == ContractState.inGracePeriod.rawValue ? "Grace until" : "Paid until"
    }

    private func words(_ event: FeedItem, withBody: Bool, _ visit: Visit) -> Markup {
        guard event.event != nil, visit.may(.personal) else { return .empty }
        guard withBody else { return visit["event.ask"].render(["id": Field.part(id)]) }
        let text = event.body.map { $0.isEmpty ? "They are no longer kept." : InertText.of($0, isWhole: true) }
        return visit["event.body"].render(["text": Field(text ?? "The store sent none.")])
    }
}

extension Visit {
    /// Names and values; those that are nil are left out.
    func facts(_ facts: [(name: String, value: String?)]) -> Markup {
        facts.map { fact in
            fact.value.map { self["event.fact"].render(["name": fact.name, "value": $0]) } ?? .empty
        }.joined()
    }
}
