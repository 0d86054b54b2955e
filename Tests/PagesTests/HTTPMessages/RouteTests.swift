import Domain
import Encoding
import Pages
import Testing

@Suite struct RouteTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var path: String
        var route: Route
        var testDescription: String { path }
    }

    @Test(arguments: [
        Case(path: "/webhooks/apple", route: .webhook(.apple)),
        Case(path: "/webhooks/nobody", route: .file(path: "/webhooks/nobody")),
        Case(path: "/transactions/apple", route: .transactions(.apple)),
        Case(path: "/transactions/google", route: .transactions(.google)),
        Case(path: "/transactions/stripe", route: .file(path: "/transactions/stripe")),
        Case(path: "/receipts/apple", route: .receipts(.apple)),
        Case(path: "/receipts/google", route: .file(path: "/receipts/google")),
        Case(path: "/offers/apple", route: .offers(.apple)),
        Case(path: "/offers/google", route: .file(path: "/offers/google")),
        Case(path: "/users/42/entitlements", route: .entitlements(user: "42")),
        Case(path: "/entitlements", route: .streamEntitlements),
        Case(path: "/purchases", route: .purchases),
        Case(path: "/users/42/purchases", route: .userPurchases(user: "42")),
        Case(path: "/catalog", route: .catalog),
        Case(path: "/catalog/", route: .file(path: "/catalog/")),
        Case(path: "/entitlements/", route: .file(path: "/entitlements/")),
        Case(path: "/users/gid:%2F%2Fshop%2FUser%2F42/stream", route: .userStream(user: "gid://shop/User/42")),
        Case(path: "/users/%2f/entitlements", route: .entitlements(user: "/")),
        Case(path: "/users/42%2Fentitlements", route: .user("42/entitlements")),
        Case(path: "/users/42/%65ntitlements", route: .entitlements(user: "42")),
        // What is mistyped names nobody.
        Case(path: "/users/42/entitlements/", route: .file(path: "/users/42/entitlements/")),
        Case(path: "/users/42/entitlement", route: .file(path: "/users/42/entitlement")),
        Case(path: "/users/42/", route: .file(path: "/users/42/")),
        Case(path: "/users//42", route: .file(path: "/users//42")),
        Case(path: "/users/gid://shop/User/42/stream", route: .file(path: "/users/gid://shop/User/42/stream")),
        Case(path: "/users/42/grants//", route: .file(path: "/users/42/grants//")),
        Case(path: "/users/42/grants/7/", route: .file(path: "/users/42/grants/7/")),
        Case(path: "/users%2F42", route: .file(path: "/users/42")),
        Case(path: "/users/42/grant\u{301}s", route: .file(path: "/users/42/grant\u{301}s")),
        Case(path: "/users/\u{301}42/stream", route: .userStream(user: "\u{301}42")),
        Case(path: "/users/42", route: .user("42")), Case(path: "/users/a/b", route: .file(path: "/users/a/b")),
        Case(path: "/users/\u{301}", route: .user("\u{301}")), Case(path: "/users/events", route: .user("events")),
        Case(path: "/users/42/events", route: .userEvents(user: "42")),
        Case(path: "/users/42/console", route: .userConsole(user: "42")),
        Case(path: "/console", route: .console), Case(path: "/console/users/42/console", route: .console),
        Case(path: "/consoles", route: .file(path: "/consoles")),
        Case(path: "/users/42/grants", route: .grants(user: "42")),
        Case(path: "/users/a%2Fb/grants", route: .grants(user: "a/b")),
        Case(path: "/users/42/grants/7", route: .grant(user: "42", id: "7")),
        Case(path: "/users/a%2Fb/grants/\u{301}", route: .grant(user: "a/b", id: "\u{301}")),
        // What a script asks for whose variable is empty: nobody, whom `DELETE` would erase.
        Case(path: "/users/42/grants/", route: .file(path: "/users/42/grants/")),
        Case(path: "/users//grants/7", route: .file(path: "/users//grants/7")),
        Case(path: "/users//events", route: .file(path: "/users//events")),
        Case(path: "/users/grants", route: .user("grants")),
        Case(path: "/audit", route: .audit), Case(path: "/audit/", route: .file(path: "/audit/")),
        Case(path: "/users/", route: .file(path: "/users/")), Case(path: "/users", route: .file(path: "/users")),
        Case(path: "/orders", route: .orders), Case(path: "/orders/x/y", route: .file(path: "/orders/x/y")),
        Case(path: "/orders/x%2Fy", route: .order(token: "x/y")),
        Case(path: "/orders%2Fx", route: .file(path: "/orders/x")),
        Case(path: "/orders/x/", route: .file(path: "/orders/x/")),
        Case(path: "/events/e-7", route: .event(id: "e-7")), Case(path: "/events/a%2Fb", route: .event(id: "a/b")),
        Case(path: "/events/a/b", route: .file(path: "/events/a/b")),
        Case(path: "/events/", route: .file(path: "/events/")), Case(path: "/events", route: .events),
        Case(path: "/recoveries", route: .recoveries), Case(path: "/recoveries/7", route: .recovery(id: "7")),
        Case(path: "/recoveries/7/", route: .file(path: "/recoveries/7/")),
        Case(path: "/orders/\u{301}", route: .order(token: "\u{301}")),
        Case(path: "/paycast.js", route: .script), Case(path: "/paycast-native.js", route: .nativeScript),
        Case(path: "/openapi.json", route: .openAPI),
        Case(path: "/hooks", route: .hooks), Case(path: "/hooks/test", route: .hookTest),
        Case(path: "/hooks/deliveries", route: .hookDeliveries),
        Case(path: "/hooks/deliveries/7/resend", route: .hookResend(delivery: "7")),
        Case(path: "/hooks/deliveries//resend", route: .file(path: "/hooks/deliveries//resend")),
        Case(path: "/hooks/deliveries/7%2F8/resend", route: .hookResend(delivery: "7/8")),
        Case(path: "/hooks/deliveries/7/8/resend", route: .file(path: "/hooks/deliveries/7/8/resend")),
        Case(path: "/hooks/deliveries/7/resend/", route: .file(path: "/hooks/deliveries/7/resend/")),
        Case(path: "/hooks/deliveries/resend", route: .file(path: "/hooks/deliveries/resend")),
        Case(path: "/", route: .file(path: "/")),
        Case(path: "/orders/", route: .file(path: "/orders/")),
    ]) func findsItsRoute(_ given: Case) throws {
        let stores = StoreRoutes(
            webhooks: [.apple, .stripe],
            transactions: [.apple, .google],
            receipts: [.apple],
            offers: [.apple]
        )
        let path = try #require(PercentEncoding.decode(given.path))
        let parts = given.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        let decoded = try parts.map { try #require(PercentEncoding.decode(Array($0)[...])) }
        #expect(Route(path: path, parts: decoded, stores: stores) == given.route)
    }
}
