import API
import APIModel
import Crypto
import Domain
import Support
import Synchronization
import TestSupport
import Testing

/// A consumable, from the order to the page and to the backend that hands it out, by the real program.
@Suite(.blocking) struct ConsumableJourneyTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func server(_ backend: AnsweringServer) throws -> PaycastServer {
        try PaycastServer(environment: [
            "PAYCAST_HOOK_URLS": backend.url + "#purchase.delivered+purchase.revoked",
            "PAYCAST_HOOK_SECRETS": ConsumableJourneyTests.secret,
        ])
    }

    /// Of an order, or a new purchase of the user.
    private func trigger(_ type: String, of order: PrintedAnswer? = nil, at server: PaycastServer, _ more: String...)
        throws
    {
        let words = ["trigger", "apple", type, "--kind", "consumable", "--product", "fuel"]
        let whose = try order.map { ["--order", try $0["order"]] } ?? ["--user", "42"]
        let trigger = server.paycast(words + whose + more)
        #expect(try trigger.waitForExit(timeout: .seconds(60)) == 0, "\(trigger.errors)")
    }

    private func order(at server: PaycastServer) throws -> PrintedAnswer {
        try PrintedAnswer(server.paycast("order", "--user", "42", "--product", "fuel"))
    }

    private func messages(of backend: AnsweringServer, _ count: Int) throws -> [HookMessage] {
        try Deadline(.seconds(60)).wait(for: "\(count) messages") { backend.requests.count >= count }
        return backend.requests.compactMap { JSON.decode(HookMessage.self, from: Array($0.body.utf8)) }
    }

    /// Bought twice, one taken back, and given back: each is told once, and signed.
    @Test func aBackendIsToldOfEachPurchase() throws {
        let backend = AnsweringServer { _ in .init(200) }
        let server = try server(backend)
        try trigger("ONE_TIME_CHARGE", at: server)
        try trigger("ONE_TIME_CHARGE", at: server, "--duplicate", "2")
        let order = try order(at: server)
        for type in ["ONE_TIME_CHARGE", "REFUND", "REFUND_REVERSED"] { try trigger(type, of: order, at: server) }
        let told = try messages(of: backend, 5)
        #expect(told.map { $0.type.dropFirst(9) } == ["delivered", "delivered", "delivered", "revoked", "delivered"])
        let purchases = told.compactMap(\.data.purchase)
        #expect(purchases.count == 5 && Set(purchases.map(\.transaction)).count == 3)
        let changed = purchases.filter { $0.transaction == purchases[4].transaction }.compactMap(\.version)
        #expect(changed.count == 3 && changed == Set(changed).sorted())
        for (message, purchase) in zip(told, purchases) {
            #expect(message.data.user == "42" && message.data.cause?.provider == "apple")
            #expect(purchase.product == "fuel" && purchase.quantity >= 1 && purchase.store == "apple")
            #expect(purchase.environment == "Sandbox" && purchase.order != nil)
        }
        #expect(Set(purchases.map(\.order)).count == 3)
        let signer = WebhookSigner([try #require(WebhookSecret(ConsumableJourneyTests.secret))])
        for request in backend.requests {
            let (id, time) = (request.header("webhook-id") ?? "", request.header("webhook-timestamp") ?? "")
            let signature = request.header("webhook-signature") ?? ""
            #expect(signer.verifies(signature, id: id, time: time, body: Array(request.body.utf8)))
        }
        let list = server.paycast("hooks", "list", "--user", "42")
        #expect(try list.waitForExit() == 0)
        #expect(list.output.split(separator: "\n").count { $0.contains("purchase.") } == 5)
        // Nothing of it is new to anybody.
        let replay = server.paycast("replay", "--since", "start")
        #expect(try replay.waitForExit(timeout: .seconds(60)) == 0, "\(replay.errors)")
        try trigger("ONE_TIME_CHARGE", at: server)
        #expect(try messages(of: backend, 6).count == 6)
    }

    /// The first attempts are under way, or have not begun, when the server dies.
    @Test func killedBetweenCommitAndDelivery() throws {
        let count = Atomic(0)
        let backend = AnsweringServer { _ in
            count.add(1, ordering: .relaxed).oldValue == 0 ? .silence : .init(200)
        }
        let server = try server(backend)
        let order = try order(at: server)
        for type in ["ONE_TIME_CHARGE", "REFUND"] { try trigger(type, of: order, at: server) }
        try Deadline(.seconds(60)).wait(for: "an attempt") { backend.requests.count >= 1 }
        try server.restart(with: .kill)
        let told = try messages(of: backend, 3)
        #expect(told.map(\.type) == ["purchase.delivered", "purchase.delivered", "purchase.revoked"])
        #expect(Set(told.compactMap(\.data.purchase?.transaction)).count == 1)
        #expect(backend.requests[0].header("webhook-id") == backend.requests[1].header("webhook-id"))
    }

    @Test func listenPrintsIt() throws {
        let port = ReservedPort()
        let server = try PaycastServer(environment: ["PAYCAST_HOOK_URLS": "http://127.0.0.1:\(port.number)"])
        let listen = server.paycast("hooks", "listen", "--port", "\(port.number)")
        _ = try listen.errorLine { $0.contains("listening") }
        try trigger("ONE_TIME_CHARGE", at: server, "--expect", "purchase:purchase", "--timeout", "60")
        let line = try listen.line { $0.contains("purchase.delivered") }
        #expect(line.contains("user=42") && line.contains("fuel × ") && line.contains("transaction=apple/"))
        listen.send(.kill)
    }

    /// Where a page says what it has seen.
    enum Way: String, Sendable, CaseIterable {
        case eventStream, webSocket, cable
    }

    /// Of what it missed, a page is sent the newest; one that was rendered since is sent nothing. From memory, and from the
    /// ledger.
    @Test(arguments: Way.allCases, [false, true]) func onlyAPageThatMissedItIsSentIt(_ way: Way, restarts: Bool) throws
    {
        let server = try PaycastServer()
        let order = try order(at: server)
        let open = try page(way, of: order, since: order["since"], at: server)
        try trigger("ONE_TIME_CHARGE", of: order, at: server)
        #expect(try open().contains(#"data-state="delivered""#))
        try trigger("REFUND", of: order, at: server)
        #expect(try open().contains(#"data-state="revoked""#))
        if restarts { try server.restart() }
        let missed = try sent(way, of: order, since: order["since"], at: server)
        #expect(missed.ranges(of: #"target="purchase""#).count == 1 && missed.contains(#"data-state="revoked""#))
        for since in [nil, "zzzzzzzz-1"] {
            let rendered = try sent(way, of: order, since: since, at: server)
            #expect(!rendered.contains(#"target="purchase""#), "\(rendered)")
        }
    }

    private func page(
        _ way: Way,
        of order: PrintedAnswer,
        since: String?,
        at server: PaycastServer
    ) throws -> () throws -> String {
        let name = try order["signed_stream"]
        let path = "/streams?name=\(name)" + (since.map { "&since=\($0)" } ?? "")
        switch way {
        case .eventStream:
            let page = try EventStreamClient(port: server.port, path: path)
            return { try page.message().data ?? "" }
        case .webSocket:
            let page = try PageWebSocket(port: server.port, path: path)
            return { try page.text() }
        case .cable:
            let client = try CableClient(port: server.port)
            #expect(try client.subscribe(CableClient.identifier(name, since: since)) == "confirm_subscription")
            return { try client.html() }
        }
    }

    /// What a page that comes is sent at once, before what happens next.
    private func sent(_ way: Way, of order: PrintedAnswer, since: String?, at server: PaycastServer) throws -> String {
        let open = try page(way, of: order, since: since, at: server)
        let fence = [
            "publish", "--user", "42", "--action", "update", "--target", "box", "--html", "fence", "--transient",
        ]
        #expect(try server.paycast(fence).waitForExit() == 0)
        var sent = ""
        while !sent.contains("fence") { sent += try open() }
        return sent
    }

    /// Each purchase has an order of its own, whose state says what has become of it.
    @Test func eachPurchaseHasAnOrder() throws {
        let app = try AppPost()
        func place() throws -> String? {
            try app.post("/orders", members: ["user": "42", "product": "fuel"], isTrusted: true)["order"]
        }
        func item(_ token: String?) throws -> OrderItem {
            let answer = try app.post("/orders/\(token ?? "")", body: "", isTrusted: true, method: "GET")
            return try #require(JSON.decode(OrderItem.self, from: Array(answer.body.utf8)))
        }
        let first = try place()
        #expect(try place() == first && item(first).state == "open" && item(first).bought == nil)
        let words = ["trigger", "apple", "ONE_TIME_CHARGE", "--kind", "consumable", "--product", "coins"]
        let trigger = app.server.paycast(words + ["--order", first ?? ""])
        #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
        #expect(try item(first).state == "fulfilled" && item(first).bought == "coins")
        let second = try place()
        #expect(second != first && second != nil)
        #expect(try item(second).state == "open" && item(first).state == "fulfilled")
        let refund = app.server.paycast(
            "trigger",
            "apple",
            "REFUND",
            "--kind",
            "consumable",
            "--product",
            "coins",
            "--order",
            first ?? ""
        )
        #expect(try refund.waitForExit() == 0, "\(refund.errors)")
        #expect(try item(first).state == "refunded")
        try app.server.restart(with: .kill)
        #expect(try place() == second)
    }

    /// Requests on both nodes at once, again and again while the orders are bought.
    @Test(.enabled(if: PostgresCluster.isInstalled)) func nodesHandOutOneOpenOrder() throws {
        let nodes = try PostgresNodes(environments: [[:], [:]])
        let key = "key-of-the-tests-0123456789abcdef"
        var tokens: Set<String> = []
        for round in 0..<3 {
            let orders = try [0, 1, 0, 1].map { index in
                let words = ["order", "--user", "42", "--product", "fuel", "--key", key]
                return nodes[index].paycast(words)
            }.map { try PrintedAnswer($0)["order"] }
            #expect(Set(orders).count == 1)
            #expect(tokens.insert(orders[0]).inserted)
            let words = [
                "trigger", "apple", "ONE_TIME_CHARGE", "--kind", "consumable", "--product", "fuel", "--key", key,
            ]
            let trigger = nodes[round % 2].paycast(words + ["--order", orders[0]])
            #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
        }
    }
}
