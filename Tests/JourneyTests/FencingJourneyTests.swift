import Domain
import Simulator
import Support
import Synchronization
import TestSupport
import Testing

/// A leader that is frozen past its lease, and wakes up with work to commit.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct FencingJourneyTests {
    /// A staging server that answers its first request, and all others, when the test says so.
    private final class Staging: Sendable {
        let gates = [Promise<Void>(), Promise<Void>()]
        let server: AnsweringServer

        init() {
            let count = Counter()
            server = AnsweringServer { [gates] _ in
                gates[min(count.next(), 1)].wait()
                return .init(200)
            }
        }
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)

        func next() -> Int {
            value.withLock { value in
                defer { value += 1 }
                return value
            }
        }
    }

    private func leads(_ node: PaycastServer) throws {
        _ = try node.process.errorLine(timeout: .seconds(40)) { $0.contains("this node leads") }
    }

    /// Its job's result arrives while another node does the same job: nothing of it is committed.
    @Test func aFrozenLeadersWorkIsRefused() throws {
        let staging = Staging()
        defer { for gate in staging.gates { gate.fulfil(()) } }
        let cluster = try PostgresCluster()
        let settings = ["DATABASE_URL": cluster.url, "PAYCAST_FORWARD": staging.server.url + "/webhooks/apple"]
        let first = try PaycastServer(environment: settings)
        try leads(first)
        let root = ["PAYCAST_APPLE_ROOTS": first.folder.path + "/.paycast/root.pem"]
        let second = try PaycastServer(environment: settings.merging(root) { $1 })
        let signer = try DevelopmentWorkspace.existing(in: first.folder.path).signer
        let body = try SimulatedAppStore(signer: signer).body(
            SimulatedEvent(
                type: "SUBSCRIBED",
                subtype: "INITIAL_BUY",
                facts: Simulator.SimulatedSubscription(product: "paycast.pro.monthly", order: .random()),
                token: .random(),
                now: Clock().now()
            )
        )
        let socket = try first.connect()
        try socket.send("POST /webhooks/apple HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
        try socket.send("Content-Length: \(body.count)\r\n\r\n" + String(decoding: body, as: UTF8.self))
        #expect(String(decoding: try socket.readToEnd(), as: UTF8.self).contains("200 OK"))
        try Deadline(.seconds(60)).wait(for: "the first attempt") { staging.server.requests.count == 1 }
        first.process.send(.stop)
        try leads(second)
        staging.gates[0].fulfil(())
        try Deadline(.seconds(60)).wait(for: "the second attempt") { staging.server.requests.count == 2 }
        first.process.send(.resume)
        _ = try first.process.errorLine { $0.contains("work of a former lease refused") }
        // Only attempts of the second one count: it gives each up after 10 s.
        try Deadline(.seconds(60)).wait(for: "the attempts") {
            let own = second.process.errors.split(separator: "\n").count { $0.contains("job postponed") }
            return try cluster.psql("SELECT attempts, due_at IS NULL FROM paycast.jobs") == "\(own)|f"
        }
        staging.gates[1].fulfil(())
        try Deadline(.seconds(60)).wait(for: "the second one's result") {
            try cluster.psql("SELECT count(*) FROM paycast.jobs") == "0"
        }
        #expect(!second.process.errors.contains("work of a former lease refused"))
    }
}
