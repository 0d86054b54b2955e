import APIModel
import Domain
import Encoding
import Support
import TestSupport
import Testing

@testable import Simulator

/// Another catalog on several servers with one ledger in a real PostgreSQL, which reload it one after the other.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct CatalogNodesTests {
    private let folder = TemporaryFolder()
    private let backend = AnsweringServer { _ in .init(200) }
    private let nodes: PostgresNodes

    init() throws {
        let environment = [
            "PAYCAST_CATALOG": CatalogNodesTests.write([], to: folder), "PAYCAST_HOOK_URLS": backend.url,
            "PAYCAST_HOOK_SECRETS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ]
        nodes = try PostgresNodes(environments: [environment, environment])
    }

    /// `products` open the maps.
    @discardableResult
    private static func write(_ products: [String], to folder: TemporaryFolder) -> String {
        let named = products.map { #","\#($0)":{"entitlements":["maps"]}"# }.joined()
        return folder.write(
            #"{"entitlements":{"pro":{"name":"Pro"},"maps":{}},"products":{"pro":{"entitlements":["pro"]}\#(named)}}"#,
            to: "catalog.json"
        )
    }

    private func leader() throws -> Int {
        let leads = { (node: PaycastServer) in node.process.errors.contains("this node leads") }
        try Deadline(.seconds(60)).wait(for: "a leader") { nodes.nodes.contains(where: leads) }
        return nodes.nodes.firstIndex(where: leads) ?? 0
    }

    /// A subscription that the node's own App Store tells it of.
    private func buy(_ product: String, by user: String, at node: Int) throws {
        let body = #"{"user":"\#(user)","product":"\#(product)"}"#
        let order = JSONNode(try nodes.ask("POST", "/orders", body: body, on: node))?["order"]?.text
        let store = SimulatedAppStore(signer: try DevelopmentWorkspace.existing(in: nodes[node].folder.path).signer)
        let notification = SimulatedEvent(
            type: "SUBSCRIBED",
            subtype: "INITIAL_BUY",
            facts: SimulatedSubscription(product: product, lineage: "of-\(user)"),
            token: order.flatMap { OrderToken($0) },
            now: Clock().now() - .seconds(600),
            id: OrderToken.random().description
        )
        let delivery = String(decoding: try store.body(notification), as: UTF8.self)
        #expect(try nodes.ask("POST", "/webhooks/apple", body: delivery, on: node).contains("applied"))
    }

    private func pages(of user: String) throws -> [EventStreamClient] {
        let name = JSONNode(try nodes.ask("GET", "/users/\(user)/stream", on: 0))?["signed_stream"]?.text ?? ""
        return try nodes.nodes.map { try EventStreamClient(port: $0.port, path: "/streams?name=\(name)") }
    }

    private func reload(_ node: Int) throws {
        let count = { nodes[node].process.errors.ranges(of: " reloaded ").count }
        let before = count()
        nodes[node].process.send(.hangUp)
        try Deadline(.seconds(60)).wait(for: "a reload") { count() > before }
    }

    /// What a page has been sent of the maps, up to a broadcast of ours.
    private func told(_ page: EventStreamClient, until fence: String) throws -> [String] {
        var told: [String] = []
        while told.last?.contains(fence) != true { told.append(try page.message().data ?? "") }
        return told.filter { $0.contains(#"target="paywall_maps""#) }
    }

    private func isToldOfMaps(_ page: EventStreamClient) throws -> String {
        var data = ""
        while !data.contains(#"target="paywall_maps""#) { data = try page.message().data ?? "" }
        return data
    }

    private func messages(about user: String) -> [HookMessage] {
        backend.requests.compactMap { JSON.decode(HookMessage.self, from: Array($0.body.utf8)) }
            .filter { $0.data.user?.text == user }
    }

    /// One who waited, and one who buys through the node that has the former file when everybody else is told. Then another
    /// file, which the node that leads reads last.
    @Test func pagesAndTheBackendAreToldOnce() throws {
        let leader = try leader()
        let other = 1 - leader
        try buy("atlas", by: "42", at: other)
        let (first, late) = (try pages(of: "42"), try pages(of: "43"))
        CatalogNodesTests.write(["atlas"], to: folder)
        try reload(leader)
        for page in first { #expect(try isToldOfMaps(page).contains(#"data-state="active""#)) }
        try buy("atlas", by: "43", at: other)
        for page in late { #expect(try isToldOfMaps(page).contains(#"data-state="active""#)) }
        try reload(other)

        try buy("globe", by: "44", at: leader)
        let last = try pages(of: "44")
        CatalogNodesTests.write(["atlas", "globe"], to: folder)
        try reload(other)
        try reload(leader)
        for page in last { #expect(try isToldOfMaps(page).contains(#"data-state="active""#)) }

        for (user, pages) in [("42", first), ("43", late), ("44", last)] {
            let fence = #"{"user":"\#(user)","action":"update","target":"card","html":"fence"}"#
            try nodes.ask("POST", "/broadcasts", body: fence, on: leader)
            for page in pages { #expect(try told(page, until: "fence").isEmpty, "\(user) was told already") }
            try expectOneTruth(about: user)
        }
    }

    /// On both nodes, and for the backend.
    private func expectOneTruth(about user: String) throws {
        let isOpen = { (message: HookMessage) in message.data.entitlements?["maps"]?.active == true }
        let isOfCatalog = { (message: HookMessage) in message.data.cause?.kind == "catalog.changed" }
        try Deadline(.seconds(60)).wait(for: "the backend") { messages(about: user).contains(where: isOfCatalog) }
        #expect(messages(about: user).count(where: isOfCatalog) == 1)
        #expect(messages(about: user).drop { !isOpen($0) }.allSatisfy(isOpen) == true)
        for node in [0, 1] {
            let held = JSONNode(try nodes.ask("GET", "/users/\(user)/entitlements", on: node))?["entitlements"]
            let newest = JSONNode(try nodes.ask("GET", "/users/\(user)/events", on: node))?["events"]?.items?.first {
                $0["kind"]?.text == "catalog.changed"
            }
            #expect(held?["maps"]?["active"]?.boolean == true && held?["pro"]?["active"]?.boolean == false)
            #expect(newest?["entitlements"]?["maps"]?["product"] == held?["maps"]?["product"])
            #expect(newest?["entitlements"]?["maps"]?["active"]?.boolean == true && newest?["active"]?.boolean == false)
            try Deadline(.seconds(60)).wait(for: "no warning") {
                try !nodes.problems(of: node).contains("PAYCAST_CATALOG does not name")
            }
        }
    }
}
