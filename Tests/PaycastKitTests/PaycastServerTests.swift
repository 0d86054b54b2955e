import Foundation
import Testing

@testable import PaycastKit

@Suite("What the server says")
struct PaycastServerTests {
    private func answer(_ status: Int, _ body: String, _ headers: [String: String] = [:]) -> PostAnswer {
        PostAnswer(ServerResponse(status: status, headers: headers, body: Data(body.utf8)))
    }

    private func error(_ code: String) -> String { #"{"error":"\#(code)","message":"A sentence."}"# }

    @Test("200 and 409 count only in the server's own words")
    func acknowledgements() {
        let commit = #"{"outcome":"applied","event":"client:1","cursor":"e-1","claim":"yours"}"#
        #expect(answer(200, commit) == .committed(Fixture.commit))
        #expect(answer(409, error("owned_by_other")) == .ownedByOther)
        let strange: [(status: Int, body: String, unexpected: Int?)] = [
            (200, "<html>Welcome to the hotel's network</html>", 200), (200, "{}", 200), (409, "Conflict", 409),
            (409, error("token_taken"), nil), (302, commit, 302), (204, "", 204),
        ]
        for (status, body, unexpected) in strange {
            #expect(answer(status, body) == .later(.init(isWholeServer: true, unexpected: unexpected)))
        }
    }

    @Test("400, 401 and 403 with a code say who can mend it; a proxy's own do not")
    func refusals() {
        #expect(answer(400, error("bad_signature")) == .refused(code: "bad_signature"))
        #expect(answer(401, error("unauthorized")) == .unauthorized(code: "unauthorized"))
        #expect(answer(403, error("expired_stream_name")) == .unauthorized(code: "expired_stream_name"))
        for status in [400, 401, 403, 404, 413] {
            let delay = PostAnswer.Delay(seconds: nil, isWholeServer: true, unexpected: status)
            #expect(answer(status, "<html>") == .later(delay))
        }
        for status in [500, 502, 504] {
            #expect(answer(status, "<html>") == .later(.init(seconds: nil, isWholeServer: true)))
        }
        let notFound = PostAnswer.Delay(seconds: nil, isWholeServer: true, unexpected: 404)
        #expect(answer(404, error("not_found")) == .later(notFound), "Paycast's own, of a wrong path")
    }

    @Test("503, 429 and 422 are tried again; what is about one transaction stops no other")
    func later() {
        let after = ["Retry-After": "30"]
        #expect(answer(503, error("busy"), after) == .later(.init(seconds: 30, isWholeServer: true)))
        #expect(answer(429, "", after) == .later(.init(seconds: 30, isWholeServer: true)))
        #expect(answer(503, error("wrong_app"), after) == .later(.init(seconds: 30, isWholeServer: false)))
        #expect(answer(503, error("wrong_environment"), after) == .later(.init(seconds: 30, isWholeServer: false)))
        #expect(answer(422, error("store_api_needed")) == .later(.init(seconds: nil, isWholeServer: false)))
    }

    @Test("Retry-After in seconds; what is none counts for nothing")
    func retryAfter() {
        let cases: [(text: String, seconds: TimeInterval?)] = [
            ("120", 120), ("-1", 0), ("Fri, 15 Jan 2027 08:02:00 GMT", nil), ("", nil), ("inf", nil), ("nan", nil),
        ]
        for (text, seconds) in cases {
            #expect(ServerResponse(status: 503, headers: ["Retry-After": text]).retryAfter == seconds, "\(text)")
        }
    }

    @Test("A post carries the transaction, the stream, and the order of a purchase without a token")
    func post() async throws {
        var transaction = Fixture.transaction(token: nil)
        transaction.renewalInfo = "header.renewal.signature"
        let transport = ScriptedServer()
        let stream = Fixture.stream(of: "ann")
        var driver = Driver()
        driver.buy(transaction, order: Order(token: Fixture.token(10), stream: stream))
        var post = try #require(driver.machine.deliveries[1]?.post)
        post.asked = nil
        _ = await PaycastServer(transport: transport).post(post)
        let request = try #require(await transport.requests.first)
        let body = try JSONDecoder().decode([String: String].self, from: #require(request.body))
        #expect(request.path == "transactions/apple")
        #expect(
            body == [
                "signedTransaction": "header.1-0.signature", "signedRenewalInfo": "header.renewal.signature",
                "stream": stream.rawValue,
                "order": "00000000-0000-4000-8000-00000000000a",
            ]
        )
        driver.buy(Fixture.transaction(2))
        _ = await PaycastServer(transport: transport).post(try #require(driver.machine.deliveries[2]?.post))
        let asked = String(decoding: try #require(await transport.requests.last?.body), as: UTF8.self)
        #expect(asked.hasPrefix(#"{"asked":true,"signedTransaction""#) && !asked.contains("order"))
    }

    /// A subscription and something for good.
    private let held =
        #"{"user":"42","active":true,"entitlements":{"pro":{"active":true,"state":"active","product":"pro.annual","#
        + #""access_until":"2026-12-22T18:21:51.365Z","auto_renew":true,"trial":true,"#
        + #""trial_ends_at":"2026-12-22T18:21:51.365Z","provider":"apple","store":"apple","mood":"new"},"#
        + #""maps":{"active":false}},"contracts":[{"product":"pro.annual","group":"1","state":"active","active":true,"#
        + #""access_until":"2026-12-22T18:21:51.365Z","auto_renew":true,"pending_product":null,"#
        + #""provider":"apple","environment":"Sandbox","family":false,"entitlements":["pro"]}]}"#

    @Test("Entitlements, as the server writes them, and back")
    func entitlements() throws {
        let response = ServerResponse(status: 200, body: Data(held.utf8))
        let held = try #require(response.decoded(as: Entitlements.self))
        #expect(held.isActive() && held.isActive("pro") && !held.isActive("maps"))
        #expect(!held.isActive("gone") && held.contracts.first?.entitlements == ["pro"])
        let pro = try #require(held.entitlements["pro"])
        #expect(
            pro.isTrial == true && pro.trialEndsAt == pro.accessUntil && pro.store == "apple" && pro.autoRenews == true
        )
        let until = try #require(pro.accessUntil)
        #expect(abs(until.timeIntervalSince1970 - 1_797_963_711.365) < 0.001)
        #expect(try JSONDecoder().decode(Entitlements.self, from: JSONEncoder().encode(held)) == held)
    }

    @Test("What has ended stays closed offline, whatever a clock says that was later once; and no end is none")
    func expires() throws {
        let held = try JSONDecoder.ofServer.decode(Entitlements.self, from: Data(held.utf8))
        let end = try #require(held.contracts.first?.accessUntil)
        var stored = StoredEntitlements(owner: "ann", entitlements: held, etag: "7", knownAt: end - 600)
        stored.expire(at: end - 1)
        #expect(stored.entitlements == held && stored.etag == "7")
        stored.expire(at: end)
        #expect(!stored.entitlements.isActive("pro") && !stored.entitlements.isActive() && stored.etag == nil)
        stored.expire(at: end - 86_400)
        #expect(!stored.entitlements.isActive("pro"), "the clock was set back")
        var answeredLater = StoredEntitlements(owner: "ann", entitlements: held, knownAt: end + 1)
        answeredLater.expire(at: end - 86_400)
        #expect(!answeredLater.entitlements.isActive("pro"))
    }

    struct Withdrawal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var held: Contract
        var isWithdrawn: Bool
    }

    @Test(
        "What the store took back closes the purchase of its product, and nothing else",
        arguments: [
            Withdrawal(testDescription: "of a server that names no store", held: .owned("p"), isWithdrawn: true),
            Withdrawal(testDescription: "the App Store's", held: .owned("p", provider: "apple"), isWithdrawn: true),
            Withdrawal(testDescription: "another store's", held: .owned("p", provider: "stripe"), isWithdrawn: false),
            Withdrawal(testDescription: "another product", held: .owned("q"), isWithdrawn: false),
            Withdrawal(testDescription: "shared", held: .owned("p", isFamilyShared: true), isWithdrawn: false),
            Withdrawal(testDescription: "a consumable", held: .owned("p", quantity: 3), isWithdrawn: false),
        ]
    ) func withdraws(_ given: Withdrawal) {
        let open = Entitlements(
            active: true,
            entitlements: ["pro": Entitlement(active: true)],
            contracts: [given.held]
        )
        var stored = StoredEntitlements(owner: "ann", entitlements: open, etag: "1", knownAt: Fixture.start)
        stored.withdraw("p", isFamilyShared: false)
        #expect(stored.entitlements.contracts[0].active != given.isWithdrawn)
        #expect(stored.entitlements.isActive("pro") != given.isWithdrawn)
        #expect(stored.entitlements.active != given.isWithdrawn && (stored.etag == nil) == given.isWithdrawn)
    }

    @Test("What two purchases open closes with the last")
    func openTwice() {
        let open = Entitlements(
            active: true,
            entitlements: ["pro": Entitlement(active: true)],
            contracts: [.owned("p"), .owned("q")]
        )
        var stored = StoredEntitlements(owner: "ann", entitlements: open, knownAt: Fixture.start)
        stored.withdraw("p", isFamilyShared: false)
        #expect(stored.entitlements.isActive("pro") && stored.entitlements.isActive())
        stored.withdraw("q", isFamilyShared: false)
        #expect(!stored.entitlements.isActive("pro") && !stored.entitlements.isActive())
    }

    @Test("The catalog: offerings in order of display, and a product of a newer kind")
    func catalog() async throws {
        let transport = ScriptedServer()
        let body =
            #"{"entitlements":[{"name":"pro","title":"Pro"},{"name":"maps"}],"products":[{"id":"pro.annual","name":"A year","#
            + #""kind":"subscription","group":"1","entitlements":["pro","maps"]},{"id":"coins","kind":"new","entitlements":[]},"#
            + #"{"id":"maps","kind":"non_consumable","entitlements":["maps"]},{"id":"pro.monthly","entitlements":["pro"]}]}"#
        await transport.answer("catalog", 200, body)
        let catalog = try await PaycastServer(transport: transport).catalog(locale: "de")
        #expect(await transport.requests.first?.query == ["locale": "de"])
        #expect(catalog.products() == ["pro.annual", "pro.monthly"] && catalog.products[0].name == "A year")
        #expect(catalog.products(of: "maps") == ["pro.annual", "maps"] && catalog.products(of: "gone").isEmpty)
        #expect(Catalog(entitlements: [], products: catalog.products).products().count == 4)
        for answer in [nil, ServerResponse(status: 404), ServerResponse(status: 200, body: Data("<html>".utf8))] {
            await transport.answer("catalog", answer)
            await #expect(throws: PurchaseError.offline) {
                try await PaycastServer(transport: transport).catalog(locale: nil)
            }
        }
    }

    @Test("Charges come in pages, up to a limit; of one product, its latest is the first")
    func charges() async throws {
        let transport = ScriptedServer()
        let page =
            #"{"user":"42","purchases":[{"transaction":"2","product":"pro","kind":"subscription","quantity":1,"price":9990,"#
            + #""currency":"EUR","trial":false,"purchased_at":"2026-11-22T18:21:51.365Z","refunded_at":"2026-11-23T18:21:51Z","#
            + #""refunded":9990,"store":"google","environment":"Production","new":1},{"product":"coins","quantity":3}],"next":"c"}"#
        await transport.answer("purchases", 200, page)
        let server = PaycastServer(transport: transport)
        let found = try await server.charges(of: Fixture.stream(of: "ann"), product: "pro", before: "b", limit: 2)
        let query = await transport.requests.first?.query
        #expect(query == ["name": Fixture.stream(of: "ann").rawValue, "product": "pro", "before": "b", "limit": "2"])
        #expect(found.next == "c" && found.purchases.map(\.product) == ["pro", "coins"])
        let first = found.purchases[0]
        #expect(first.price == 9990 && first.refunded == 9990 && first.isTrial == false && first.store == "google")
        #expect(first.purchasedAt != nil && first.refundedAt.map { $0 > first.purchasedAt ?? $0 } == true)
        #expect(found.purchases[1].quantity == 3 && found.purchases[1].purchasedAt == nil)
        let refusals: [(ServerResponse?, PurchaseError)] = [
            (nil, .offline), (ServerResponse(status: 503), .offline), (ServerResponse(status: 403), .notLoggedIn),
            (ServerResponse(status: 200, body: Data("<html>".utf8)), .offline),
        ]
        for (answer, error) in refusals {
            await transport.answer("purchases", answer)
            await #expect(throws: error) {
                try await server.charges(of: Fixture.stream(of: "ann"), product: nil, before: nil, limit: 1)
            }
        }
    }
}

extension Contract {
    fileprivate static func owned(
        _ product: String,
        provider: String? = nil,
        isFamilyShared: Bool = false,
        quantity: Int? = nil
    ) -> Contract {
        Contract(
            product: product,
            state: "owned",
            active: true,
            provider: provider,
            entitlements: ["pro"],
            isFamilyShared: isFamilyShared,
            quantity: quantity
        )
    }
}
