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
            "The user gets the entitlement, or what the product opens, at once, and the open pages show it. Days count from now, beside "
            + "what is already paid: they add nothing to a subscription that renews later. What a store says of its own contracts stays "
            + "as it is. A grant can be taken back.",
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
            // Once it was said, it stays said, also when the form comes again for another reason.
            "sure": Field(form.isQuestion ? form["product"] : form["sure"]),
        ])
    } question: { form in
        let product = form["product"]
        return product.isEmpty || form["sure"].hasSameBytes(as: product) ? nil : doubt(about: product, form)
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

    /// Where a catalog names no entitlements, any product opens the only one: what nobody has ever sold is a slip, perhaps.
    private static func doubt(about product: String, _ form: ActionForm) -> String? {
        let api = form.visit.api
        let catalog = try? api.get(CatalogAnswer.self, from: .catalog)
        let entitlements = catalog?.entitlements.map(\.name) ?? []
        // With others than that one, the API refuses what opens nothing.
        guard entitlements.allSatisfy({ $0 == EntitlementName.standard.description }) else { return nil }
        let names = catalog?.products.map(\.id) ?? []
        let orders = (try? api.get(UserAnswer.self, from: .user(form.user)))?.orders ?? []
        let query = [(name: "product", value: product), (name: "limit", value: "1")]
        let events = (try? api.get(EventsAnswer.self, from: .events, query: query))?.events ?? []
        let isKnown = (names + orders.map(\.product)).contains(where: product.hasSameBytes)
        guard !isKnown, events.isEmpty else { return nil }
        let near = nearest(to: product, among: names).map { " Did you mean \($0)?" } ?? ""
        return
            "Nothing was done yet. No product is called \(InertText.of(product)): not in the catalog, in no order of this "
            + "user, and in none of the newest events.\(near) Send the form once more if it is right."
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

    /// Ends the user's open pages: after a log-out elsewhere, or a ban.
    static let endPages = UserAction(
        word: "end",
        title: "End open pages",
        explanation:
            "The user's open pages hear nothing more, on all devices, and come back only once your app has rendered them anew with a name "
            + "from Paycast. Names that your Rails app signs itself are refused from then on. What the user has bought stays.",
        button: "End them",
        done: "The user's open pages are ended."
    ) { form throws(ConsoleError) in
        let query = [(name: "reason", value: form.reason)]
        _ = try form.visit.api.delete(EndedPagesAnswer.self, at: .userPages(user: form.user), query: query)
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
}
