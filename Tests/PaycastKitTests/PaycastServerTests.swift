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
        let commit = #"{"outcome":"applied","event":"client:1","cursor":"e-1","claim":"granted"}"#
        #expect(answer(200, commit) == .committed(Fixture.commit))
        #expect(answer(409, error("owned_by_other")) == .ownedByOther)
        let strange: [(status: Int, body: String, unexpected: Int?)] = [
            (200, "<html>Welcome to the hotel's network</html>", 200), (200, "{}", 200), (409, "Conflict", 409),
            (409, error("token_taken"), nil), (302, commit, 302), (204, "", 204),
        ]
        for (status, body, unexpected) in strange {
            #expect(answer(status, body) == .later(.init(seconds: nil, isWholeServer: true, unexpected: unexpected)))
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
        var delivery = Delivery(transaction: Fixture.transaction(token: nil), memo: Memo())
        delivery.memo.adopt(Fixture.stream(of: "ann"))
        delivery.memo.order = Fixture.token(10)
        delivery.transaction.renewalInfo = "header.renewal.signature"
        let transport = ScriptedServer()
        _ = await PaycastServer(transport).post(delivery)
        let request = try #require(await transport.requests.first)
        let body = try JSONDecoder().decode([String: String].self, from: #require(request.body))
        #expect(request.method == "POST" && request.path == "transactions/apple")
        #expect(
            body == [
                "signedTransaction": "header.1-0.signature", "signedRenewalInfo": "header.renewal.signature",
                "stream": Fixture.stream(of: "ann").text,
                "order": "00000000-0000-4000-8000-00000000000a",
            ]
        )
    }

    @Test("Entitlements, as the server writes them, and back")
    func entitlements() throws {
        let body =
            #"{"user":"42","active":true,"entitlements":[{"product":"pro.annual","group":"1","state":"active","#
            + #""active":true,"access_until":"2026-12-22T18:21:51.365Z","auto_renew":true,"pending_product":null,"#
            + #""provider":"apple","environment":"Sandbox","family":false}]}"#
        let response = ServerResponse(status: 200, headers: ["ETag": "\"7\""], body: Data(body.utf8))
        guard case .changed(let held, let etag) = EntitlementsAnswer(response) else {
            Issue.record("not read")
            return
        }
        #expect(etag == "\"7\"" && held.opens("pro.annual") && !held.opens("coins"))
        let until = try #require(held.entitlements.first?.accessUntil)
        #expect(abs(until.timeIntervalSince1970 - 1_797_963_711.365) < 0.001)
        #expect(try JSONDecoder().decode(Entitlements.self, from: JSONEncoder().encode(held)).active)
        let remembered = EntitlementState.lastKnown(held, at: Fixture.start)
        #expect(remembered.opens("pro.annual", at: until - 1) && !remembered.opens("pro.annual", at: until + 1))
        #expect(EntitlementsAnswer(ServerResponse(status: 304)) == .unchanged)
        #expect(
            EntitlementsAnswer(ServerResponse(status: 200))
                == .failed(retryAfter: nil, unexpected: 200)
        )
    }

    struct Withdrawal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var held: Entitlement
        var isWithdrawn: Bool
    }

    @Test(
        "What the store took back closes the purchase of its product, and nothing else",
        arguments: [
            Withdrawal(testDescription: "of a server that names no store", held: .init("p"), isWithdrawn: true),
            Withdrawal(testDescription: "the App Store's", held: .init("p", provider: "apple"), isWithdrawn: true),
            Withdrawal(testDescription: "another store's", held: .init("p", provider: "stripe"), isWithdrawn: false),
            Withdrawal(testDescription: "another product", held: .init("q"), isWithdrawn: false),
            Withdrawal(testDescription: "shared", held: .init("p", isFamilyShared: true), isWithdrawn: false),
            Withdrawal(testDescription: "a consumable", held: .init("p", quantity: 3), isWithdrawn: false),
        ]
    ) func withdraws(_ given: Withdrawal) {
        var stored = StoredEntitlements(
            owner: "ann",
            entitlements: Entitlements(active: true, entitlements: [given.held]),
            etag: "1",
            knownAt: Fixture.start
        )
        stored.withdraw("p", isFamilyShared: false)
        #expect(stored.entitlements.entitlements[0].active != given.isWithdrawn)
        #expect(stored.entitlements.active != given.isWithdrawn && stored.etag == nil)
    }
}

extension Entitlement {
    fileprivate init(
        _ product: String,
        provider: String? = nil,
        isFamilyShared: Bool = false,
        quantity: Int? = nil
    ) {
        self.init(
            product: product,
            state: "owned",
            active: true,
            provider: provider,
            isFamilyShared: isFamilyShared,
            quantity: quantity
        )
    }
}
