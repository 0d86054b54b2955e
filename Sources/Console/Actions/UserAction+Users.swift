import API
import APIModel
import Crypto
import Domain
import Encoding
import HTTP
import Pages
import Support

extension UserAction {
    /// Gives the user a product for a time, without a store.
    static let grant = UserAction(
        word: "grant",
        title: "Grant access",
        explanation:
            "The user gets the entitlement, or what the product opens, at once, and the open pages show it. What a store says of its own contracts stays as it is. "
            + "A grant can be taken back.",
        button: "Grant it",
        done: "Granted. The user's open pages show it already."
    ) { form in
        let terms = [("days", "for some days"), ("forever", "for ever")]
        let key = form["key"].isEmpty ? Hex.encode(randomBytes(16)) : form["key"]
        return form.visit["action.grant"].render([
            "entitlements": UserAction.entitlements(form),
            "product": Field(form["product"]), "group": Field(form["group"]),
            "terms": form.visit.options(terms, chosen: form["term"]),
            "days": Field(form["days"].isEmpty ? "30" : form["days"]), "key": Field(key),
        ])
    } perform: { form throws(ConsoleError) in
        let isForever = form["term"] == "forever"
        let days = Int64(form["days"])
        guard isForever || days != nil else {
            throw .invalid("Write the days as a whole number, from 1 to 3650.")
        }
        let product = form["product"]
        // A product that is named counts: the first entitlement is only what the form begins with.
        var request = GrantRequest(
            product: product.isEmpty ? nil : product,
            entitlement: product.isEmpty ? form["entitlement"] : nil,
            reason: form.reason
        )
        request.group = form["group"].isEmpty ? nil : form["group"]
        if isForever { request.forever = true } else { request.days = days }
        let route = Route.grants(user: form.user)
        _ = try form.visit.api.post(GrantAnswer.self, to: route, query: form.seen, body: request, key: form["key"])
        return nil
    }

    /// The catalog's, the main one first.
    private static func entitlements(_ form: ActionForm) -> Markup {
        let catalog = try? form.visit.api.get(CatalogAnswer.self, from: .catalog)
        let items = catalog?.entitlements.map { item in
            (value: item.name, title: item.title.map { "\($0) (\(item.name))" } ?? item.name)
        }
        return form.visit.options(items ?? [], chosen: form["entitlement"])
    }

    /// Takes a grant back.
    static let revoke = UserAction(
        word: "revoke",
        title: "Take a grant back",
        explanation: "The grant ends now, and the open pages show it. What a store has sold is never taken back here.",
        button: "Take it back",
        isOfRow: true,
        done: "The grant is taken back. The user's open pages show it already."
    ) { form in
        form.visit["action.revoke"].render(["grant": Field(form["grant"]), "shown": form["grant"]])
    } perform: { form throws(ConsoleError) in
        guard !form["grant"].isEmpty else {
            throw .invalid("Choose the grant on the user's page.")
        }
        let route = Route.grant(user: form.user, id: form["grant"])
        _ = try form.visit.api.delete(GrantAnswer.self, at: route, query: form.seen + [("reason", form.reason)])
        return nil
    }

    /// Erases the user.
    static let erase = UserAction(
        word: "erase",
        right: .erase,
        title: "Erase the user",
        explanation:
            "Everything that is known of the user is erased: contracts, orders, events, fragments and messages. No later word of a "
            + "store brings the user back. A running subscription goes on at the store, and the buyer must end it there. Nobody can undo this.",
        button: "Erase this user for ever",
        isFinal: true
    ) { form in
        form.visit["action.erase"].render(["user": form.user.text])
    } perform: { form throws(ConsoleError) in
        guard form["confirm"].utf8.elementsEqual(form.user.text.utf8) else {
            throw .invalid("To confirm, write the user's id exactly as the form shows it.")
        }
        let query = form.seen + [("reason", form.reason)]
        let answer = try form.visit.api.delete(ErasureAnswer.self, at: .user(form.user), query: query)
        return form.visit["action.erased"].render([
            "contracts": StoreWords.count(answer.contracts, "contract", "contracts"),
            "orders": StoreWords.count(answer.orders, "order", "orders"),
            "events": StoreWords.count(answer.events, "entry", "entries"),
        ])
    }

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
        form.visit["action.claim"].render(["event": Field(form["event"])])
    } perform: { form throws(ConsoleError) in
        let request = ClaimRequest(event: event(of: form["event"], form.visit), reason: form.reason)
        let route = Route.claims(user: form.user)
        _ = try form.visit.api.post(CommitAnswer.self, to: route, query: form.seen, body: request)
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
