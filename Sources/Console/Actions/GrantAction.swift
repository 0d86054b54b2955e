import API
import APIModel
import Crypto
import Domain
import Encoding
import Pages

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
