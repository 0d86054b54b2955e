import APIModel
import Domain
import Encoding
import Testing

@testable import API

/// What a client encodes is what the server reads.
@Suite struct RequestTests {
    @Test func createOrder() throws {
        var request = CreateOrderRequest(user: "4\"2", product: "pro")
        (request.provider, request.group, request.kind) = ("apple", "g", "consumable")
        (request.token, request.locale) = ("a5af9b36-0e4d-4665-8351-0e4003752165", "pt-BR")
        (request.successUrl, request.metadata) = ("/thanks", ["cartID": "7"])
        #expect(try CreateOrderRequest(RefusedBody.object(JSON.encode(request))) == request)
        let short = CreateOrderRequest(user: "42", product: "pro")
        #expect(JSON.encode(short) == Array(#"{"product":"pro","user":"42"}"#.utf8))
        #expect(try CreateOrderRequest(RefusedBody.object(JSON.encode(short))) == short)
    }

    @Test func broadcast() throws {
        var request = BroadcastRequest(stream: "user:42:paywall", user: "42")
        request.html = "<p>/é</p>"
        request.action = "update"
        request.target = "paywall"
        request.targets = ".paywall"
        request.template = "success"
        request.values = ["product_name": "Pro", "planName": "Plan"]
        request.transient = true
        let node = try #require(JSONNode(JSON.encode(request)))
        #expect(BroadcastRequest.read(node, each: BroadcastRequest.plain) == [request])
    }

    @Test(arguments: ReplayMode.allCases) func replay(_ mode: ReplayMode) throws {
        var request = ReplayRequest(mode: mode, user: "42")
        (request.events, request.since, request.until) = (["e1", "e2"], "start", "e-9")
        #expect(try ReplayRequest(JSON.encode(request)) == request)
    }

    @Test func recovery() throws {
        let request = RecoveryRequest(provider: "google", since: "2026-01-31T12:00:00Z")
        #expect(try RecoveryRequest(JSON.encode(request)) == request)
    }
}
