import API
import APIModel
import Domain
import Encoding
import HTTP
import Pages
import Support

extension UserAction {
    /// Gives the user a purchase that nobody has.
    static let claim = UserAction(
        word: "claim",
        title: "Claim a purchase",
        explanation:
            "An unclaimed purchase (no user is known for it) becomes this user's, as if the user's app had posted it. Take its name "
            + "from Attention, or from the buyer's receipt. A purchase that somebody has stays there.",
        button: "Give it to this user",
        done: "The purchase is this user's now."
    ) { form in
        let purchase = ClaimedPurchase(named: form["event"], form.visit)
        return form.visit["action.claim"].render([
            "event": Field(form["event"]), "shown": Field(purchase == nil ? "" : form["event"]),
            "purchase": purchase?.markup(form.visit),
        ])
    } question: { form in
        guard !form["shown"].hasSameBytes(as: form["event"]), ClaimedPurchase(named: form["event"], form.visit) != nil
        else { return nil }
        return
            "Nothing was done yet. Compare the purchase below with what the customer has, and give it to this user if it "
            + "is the one."
    } perform: { form throws(ConsoleError) in
        let event = ClaimedPurchase(named: form["event"], form.visit)?.event ?? form["event"]
        let request = ClaimRequest(event: event, reason: form.reason)
        let route = Route.claims(user: form.user)
        _ = try form.visit.api.post(CommitAnswer.self, to: route, query: form.seen, body: request)
        return nil
    }
}

/// A purchase that somebody wants to claim, by the event that the API knows it by.
struct ClaimedPurchase {
    let event: String
    private let answer: EventAnswer

    /// By an event's id, or by what a receipt calls the purchase; nil if nothing has this name.
    init?(named name: String, _ visit: Visit) {
        guard !name.isEmpty,
            let hits = try? visit.api.get(SearchAnswer.self, from: .search, query: [("q", name)]).found
        else { return nil }
        let isEvent = hits.contains { $0.kind == "event" }
        guard let id = isEvent ? name : hits.first(where: { $0.kind == "contract" })?.cursor,
            let answer = try? visit.api.get(EventAnswer.self, from: .event(id: id)), let event = answer.event.event
        else { return nil }
        (self.answer, self.event) = (answer, event)
    }

    func markup(_ visit: Visit) -> Markup {
        let (item, statement) = (answer.event, answer.statement)
        let owner = EventSides.owner(of: item.contract, visit)
        let buyer = [statement?.user?.text, statement?.account].compactMap { $0 }.joined(separator: ", ")
        return visit["action.purchase"].render([
            "facts": visit.facts([
                ("Product", item.product), ("Store", StoreWords.source(item)),
                ("Price", StoreWords.price(statement?.price, currency: statement?.currency) ?? "not said"),
                ("Bought", EventStory.date(statement?.purchasedAt) ?? EventStory.date(item.occurredAt)),
                ("Buyer, by the store", buyer.isEmpty ? "not said" : buyer), ("The store’s name for it", item.contract),
                ("Whose it is", owner),
            ])
        ])
    }
}

/// `/console/claim?event=`: asks for whom, and leads to that user's form.
struct ClaimPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let event = trimmed(visit.query["event"] ?? "")
        guard let name = visit.query["user"].map(trimmed), isValidIdentifier(name) else {
            return visit.page("Claim a purchase", visit["action.claim_for"].render(["event": Field(event)]))
        }
        return visit.redirect(to: "\(ConsoleAddress.user(UserID(name)))/claim?event=\(PercentEncoding.encode(event))")
    }
}
