import API
import APIModel
import Crypto
import Domain
import Encoding
import HTTP
import Pages
import Support

/// Gives the user a product for a time, without a store.
struct GrantAction: UserAction {
    let right = Right.act
    let title = "Grant a product"
    let explanation =
        "The user gets the product at once, and the open pages show it. What a store says of its own contracts stays as it is. "
        + "A grant can be taken back."
    let button = "Grant it"

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup {
        let terms = [("days", "for some days"), ("forever", "for ever")]
        let key = values["key"].isEmpty ? Hex.encode(randomBytes(16)) : values["key"]
        return visit["action.grant"].render([
            "product": Field(values["product"]), "group": Field(values["group"]),
            "terms": visit.options(terms, chosen: values["term"]),
            "days": Field(values["days"].isEmpty ? "30" : values["days"]), "key": Field(key),
        ])
    }

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        let isForever = values["term"] == "forever"
        let days = Int64(values["days"])
        guard isForever || days != nil else {
            throw .invalid("Write the days as a whole number, from 1 to 3650.")
        }
        var request = GrantRequest(product: values["product"], reason: values.reason)
        request.group = values["group"].isEmpty ? nil : values["group"]
        if isForever { request.forever = true } else { request.days = days }
        let route = Route.grants(user: user)
        _ = try visit.api.post(GrantAnswer.self, to: route, query: values.seen, body: request, key: values["key"])
        return nil
    }
}

/// Takes a grant back.
struct RevokeAction: UserAction {
    let right = Right.act
    let title = "Take a grant back"
    let explanation = "The grant ends now, and the open pages show it. What a store has sold is never taken back here."
    let button = "Take it back"

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup {
        visit["action.revoke"].render(["grant": Field(values["grant"]), "shown": values["grant"]])
    }

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        guard !values["grant"].isEmpty else {
            throw .invalid("Choose the grant on the user's page.")
        }
        _ = try visit.api.delete(
            GrantAnswer.self,
            at: .grant(user: user, id: values["grant"]),
            query: values.seen + [("reason", values.reason)]
        )
        return nil
    }
}

/// Erases the user.
struct EraseAction: UserAction {
    let right = Right.erase
    let title = "Erase the user"
    let explanation =
        "Everything that is known of the user is erased: contracts, orders, events, fragments and messages. No later word of a "
        + "store brings the user back. A running subscription goes on at the store, and the buyer must end it there. Nobody can undo this."
    let button = "Erase this user for ever"
    let isFinal = true

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup {
        visit["action.erase"].render(["user": user.text])
    }

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        guard values["confirm"].utf8.elementsEqual(user.text.utf8) else {
            throw .invalid("To confirm, write the user's id exactly as the form shows it.")
        }
        let query = values.seen + [("reason", values.reason)]
        let answer = try visit.api.delete(ErasureAnswer.self, at: .user(user), query: query)
        return visit["action.erased"].render([
            "contracts": StoreWords.count(answer.contracts, "contract", "contracts"),
            "orders": StoreWords.count(answer.orders, "order", "orders"),
            "events": StoreWords.count(answer.events, "entry", "entries"),
        ])
    }
}

/// Gives the user a purchase that nobody has.
struct ClaimAction: UserAction {
    let right = Right.act
    let title = "Claim a purchase"
    let explanation =
        "An unclaimed purchase (no user is known for it) becomes this user's, as if the user's app had posted it. Take its name "
        + "from Attention, or from the buyer's receipt. A purchase that somebody has stays there."
    let button = "Give it to this user"

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup {
        visit["action.claim"].render(["event": Field(values["event"])])
    }

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        let request = ClaimRequest(event: ClaimAction.event(of: values["event"], visit), reason: values.reason)
        _ = try visit.api.post(CommitAnswer.self, to: .claims(user: user), query: values.seen, body: request)
        return nil
    }

    /// The event by which the API knows the purchase that was named; the name itself if nothing else has it.
    private static func event(of name: String, _ visit: Visit) -> String {
        let hits = try? visit.api.get(SearchAnswer.self, from: .search, query: [("q", name)]).found
        guard let hits, !hits.contains(where: { $0.kind == "event" }),
            let cursor = hits.first(where: { $0.kind == "contract" })?.cursor,
            let event = try? visit.api.get(EventAnswer.self, from: .event(id: cursor)).event.event
        else { return name }
        return event
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
