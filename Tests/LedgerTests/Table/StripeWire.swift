import Domain
import TestSupport

@testable import Simulator
@testable import Stores

/// Stripe's events, proven by their signature, and, where a case asks for it, Stripe's API: a stand-in behind a socket.
struct StripeWire: StoreWire {
    private static let secret = "whsec_0123456789"
    private let store: SimulatedStripe
    private let standIn = StripeStandIn()
    private let server: AnsweringServer?
    private let verifier: any StoreVerifier

    init(_ catalog: Catalog, shape: SimulatedStripe.Shape, asksStore: Bool) throws {
        store = SimulatedStripe(secret: Self.secret, shape: shape)
        guard var verifier = StripeVerifier(secrets: [Self.secret], catalog: catalog) else {
            throw VerificationError.notConfigured
        }
        guard asksStore else {
            server = nil
            self.verifier = verifier
            return
        }
        let server = AnsweringServer { [standIn] in standIn.served($0) }
        verifier.stripeAPI = StripeAPI(key: "rk_live_1", address: server.url, catalog: catalog)
        self.server = server
        self.verifier = verifier
    }

    func event(_ asked: SimulatedEvent, edits: [String: String], claimed: Bool) throws -> Event {
        var delivery = try store.delivery(asked)
        var body = try WireText(delivery.body)
        try body.set(edits)
        delivery.body = try body.bytes()
        delivery = try store.attempt(delivery, at: asked.now)
        for (path, json) in delivery.documents { standIn.put(path, json: json) }
        let signature = delivery.headers.first?.1
        return try verifier.verify(Delivery(body: delivery.body, signature: signature), now: asked.now)
    }
}

extension StandIn {
    func put(_ path: String, json: [UInt8]) {
        _ = answer(StandInRequest(method: "PUT", path: path, body: json))
    }

    func served(_ request: AnsweringServer.Request) -> AnsweringServer.Answer {
        let asked = StandInRequest(
            method: request.method,
            path: request.path,
            authorization: request.header("Authorization"),
            body: Array(request.body.utf8)
        )
        guard let answer = answer(asked) else { return .init(404) }
        return .init(answer.status, body: answer.body, headers: answer.headers.map { ($0.name, $0.value) })
    }
}
