public import Domain
import HTTPClient
public import Simulator
public import Support
import Synchronization

/// A development server that asks an Apple of its own: the stand-in behind a socket, which outlives the server.
public final class AppleJourney: Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private final class Apple: Sendable {
        struct State {
            var standIn: AppleStandIn?
            var isDown = false
        }

        let state = Mutex(State())
    }

    public let server: PaycastServer
    public let apple: AnsweringServer
    public let standIn: AppleStandIn
    public let signer: AppStoreSigner
    private let machine: Apple

    public init(environment: [String: String] = [:]) throws {
        let machine = Apple()
        apple = AnsweringServer { request in
            let state = machine.state.withLock { $0 }
            guard !state.isDown, let standIn = state.standIn else { return .init(503) }
            return standIn.serve(request)
        }
        let address = ["PAYCAST_APPLE_API_URL": apple.url, "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox"]
        server = try PaycastServer(environment: environment.merging(address) { $1 })
        signer = try DevelopmentWorkspace.existing(in: server.folder.path).signer
        standIn = AppleStandIn(signer: signer, now: Clock().now, webhook: { nil })
        machine.state.withLock { [standIn] in $0.standIn = standIn }
        self.machine = machine
    }

    /// From now on Apple does not answer, or does again.
    public func setDown(_ isDown: Bool) {
        machine.state.withLock { $0.isDown = isDown }
    }

    /// A user's order, and the signed name of the page that waits for it.
    public func order(for user: String) throws -> (token: OrderToken, stream: String) {
        let order = server.paycast("order", "--user", user, "--product", "paycast.pro.monthly")
        guard try order.waitForExit() == 0 else { throw Failure(description: order.errors) }
        let lines = order.output.split(separator: "\n").map { $0.split(separator: " ") }
        let values = Dictionary(lines.map { ($0.first ?? "", $0.last ?? "") }) { $1 }
        guard let token = values["order"].flatMap({ OrderToken(String($0)) }), let stream = values["signed_stream"]
        else {
            throw Failure(description: order.output)
        }
        return (token, String(stream))
    }

    /// Bought outside the app, so that no order's token is in it: the transaction that the app finds. Apple knows it.
    public func outsidePurchase(until end: Instant) throws -> (lineage: String, transaction: String) {
        var facts = Simulator.SimulatedSubscription(product: "paycast.pro.monthly", order: .random())
        (facts.state, facts.accessUntil) = (.active, end)
        let event = SimulatedEvent(type: "OFFER_REDEEMED", facts: facts, now: Clock().now())
        let store = SimulatedAppStore(signer: signer)
        let delivery = try store.delivery(event)
        guard standIn.remember(delivery.body, event: delivery.event) else {
            throw Failure(description: "the stand-in does not take it")
        }
        return (facts.lineage, try store.transaction(event))
    }

    /// What Apple knows from now on, and what it posts, or would post.
    public func say(
        _ type: String,
        subtype: String? = nil,
        of order: OrderToken,
        until end: Instant,
        at now: Instant = Clock().now(),
        isLost: Bool = false
    ) throws -> [UInt8] {
        var facts = Simulator.SimulatedSubscription(product: "paycast.pro.monthly", order: order)
        (facts.state, facts.accessUntil) = (.active, end)
        let event = SimulatedEvent(type: type, subtype: subtype, facts: facts, token: order, now: now)
        let delivery = try SimulatedAppStore(signer: signer).delivery(event)
        guard standIn.remember(delivery.body, event: delivery.event, isLost: isLost) else {
            throw Failure(description: "the stand-in does not take \(type)")
        }
        return delivery.body
    }

    /// What a recovery says once it has ended, or why none has begun.
    public func recover(_ body: String, key: Bool = true) throws -> String {
        let begun = try post(Array(body.utf8), to: "/recoveries", key: key)
        guard let mark = begun.firstRange(of: #""id":""#) else { return begun }
        let path = "/recoveries/" + begun[mark.upperBound...].prefix { $0 != "\"" }
        var answer = begun
        try Deadline(.seconds(60)).wait(for: "the end of the recovery") {
            answer = try ask("GET", path, key: key)
            return !answer.contains(#""state":"running""#)
        }
        return answer
    }

    /// The answer's body.
    public func post(_ body: [UInt8], to path: String = "/webhooks/apple", key: Bool = false) throws -> String {
        try ask("POST", path, body: body, key: key)
    }

    public func ask(_ method: String, _ path: String, body: [UInt8]? = nil, key: Bool = false) throws -> String {
        let apiKey = server.folder.read(".paycast/api.key")?.prefix { !$0.isNewline } ?? ""
        let response = try HTTPClient(timeout: .seconds(20)).send(
            method,
            to: server.url + path,
            headers: key ? [("Authorization", "Bearer \(apiKey)")] : [],
            body: body
        )
        return String(decoding: response.body, as: UTF8.self)
    }
}
