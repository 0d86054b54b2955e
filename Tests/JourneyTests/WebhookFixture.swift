import Domain
import HTTPClient
import Support
import TestSupport
import Testing

@testable import Simulator

/// A development server, a simulated store that is told the app's own users, and what became of their purchases.
struct WebhookFixture {
    let server: PaycastServer
    let workspace: DevelopmentWorkspace
    let store: any SimulatedStore
    var facts: SimulatedSubscription
    var user = "42"
    /// The store's clock: each event has a second of its own.
    private var now = Clock().now()

    init(
        environment: [String: String] = [:],
        kind: ProductKind = .subscription,
        store: (DevelopmentWorkspace) -> any SimulatedStore
    ) throws {
        server = try PaycastServer(environment: environment)
        workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        self.store = store(workspace)
        let product = kind == .subscription ? "paycast.pro.monthly" : "paycast.lifetime"
        facts = SimulatedSubscription(product: product, kind: kind, lineage: "2000000000000001")
    }

    /// The open page of a user.
    func page(of user: String) throws -> EventStreamClient {
        let order = server.paycast("order", "--user", user, "--product", "paycast.pro.monthly")
        #expect(try order.waitForExit() == 0, "\(order.errors)")
        let line = try #require(order.output.split(separator: "\n").first { $0.hasPrefix("signed_stream ") })
        let name = line.split(separator: " ").last ?? ""
        return try EventStreamClient(port: server.port, path: "/streams?name=\(name)")
    }

    /// `type/subtype`.
    func delivery(_ words: String, token: OrderToken? = nil, id: String? = nil) throws -> SimulatedDelivery {
        let parts = words.split(separator: "/").map(String.init)
        let event = SimulatedEvent(
            type: parts[0],
            subtype: parts.count > 1 ? parts[1] : nil,
            facts: facts,
            user: user,
            token: token,
            now: now,
            id: id
        )
        return try store.delivery(event)
    }

    func post(_ delivery: SimulatedDelivery) throws -> (status: Int, text: String) {
        let response = try HTTPClient(timeout: .seconds(60)).send(
            "POST",
            to: server.url + delivery.path,
            headers: delivery.headers,
            body: delivery.body
        )
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    /// Posts an event that is applied, and expects the page to be told these texts.
    mutating func say(
        _ words: String,
        becomes state: ContractState,
        on page: EventStreamClient,
        showing texts: String...
    ) throws {
        now = now + .seconds(1)
        let answer = try post(try delivery(words))
        #expect(answer.status == 200 && answer.text.contains(#""outcome":"applied""#), "\(words): \(answer)")
        let message = try page.message().data ?? ""
        for text in texts { #expect(message.contains(text), "\(words): \(message)") }
        let isRenewed = words.hasPrefix("RENEWAL") || words.hasPrefix("subscription.updated")
        if isRenewed || facts.accessUntil == nil { facts.accessUntil = now + .seconds(30 * 86_400) }
        facts.state = state
    }

    func expect(_ delivery: SimulatedDelivery, status: Int, text: String) throws {
        let answer = try post(delivery)
        #expect(answer.status == status && answer.text.contains("\"\(text)\""), "\(answer)")
    }
}
