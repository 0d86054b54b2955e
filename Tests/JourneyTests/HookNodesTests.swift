import APIModel
import Domain
import HTTPClient
import Support
import Synchronization
import TestSupport
import Testing

/// The backend of several servers on one ledger in a real PostgreSQL, when the node that tells it does not live through it.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct HookNodesTests {
    private static let users = (0..<6).map { "u\($0)" }
    private static let product = #"{"product":"pro","days":30,"reason":"ticket 7"}"#

    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var signal: RunningProcess.Signal
    }

    /// Each round grants something more to each user, so that the number of entitlements tells the order of states. A node
    /// refuses while PostgreSQL waits for a frozen one.
    private func change(_ round: Int, through nodes: [PaycastServer]) throws {
        for (index, user) in HookNodesTests.users.enumerated() {
            try Deadline(.seconds(60)).wait(for: "a grant") {
                let answer = try? PostgresNodes.call(
                    "POST",
                    to: nodes[index % nodes.count].url + "/users/\(user)/grants",
                    headers: [("Idempotency-Key", "\(user)-\(round)")],
                    body: HookNodesTests.product
                )
                return answer.map { $0.status / 100 == 2 } ?? false
            }
        }
    }

    /// Changes go on at the other node before anybody notices, while the lease goes over, and afterwards.
    @Test(arguments: [
        Fault(testDescription: "killed", signal: .kill), Fault(testDescription: "frozen", signal: .stop),
    ]) func everyLastStateArrives(_ fault: Fault) throws {
        // Slow enough that messages are on their way, and wait, when it happens.
        let backend = AnsweringServer { _ in
            Waker().wait(timeout: .milliseconds(50))
            return .init(200)
        }
        let hooks = [
            "PAYCAST_HOOK_URLS": backend.url, "PAYCAST_HOOK_SECRETS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ]
        let nodes = try PostgresNodes(environments: [hooks, hooks])
        let leads = { (node: PaycastServer) in node.process.errors.contains("this node leads") }
        try Deadline(.seconds(60)).wait(for: "a leader") { nodes.nodes.contains(where: leads) }
        let leader = nodes.nodes.firstIndex(where: leads) ?? 0
        let other = nodes[1 - leader]
        for round in 0..<3 { try change(round, through: nodes.nodes) }
        try Deadline(.seconds(60)).wait(for: "the first messages") { backend.requests.count > 3 }
        nodes[leader].process.send(fault.signal)
        for round in 3..<6 { try change(round, through: [other]) }
        _ = try other.process.errorLine(timeout: .seconds(90)) { $0.contains("this node leads") }
        for round in 6..<8 { try change(round, through: [other]) }
        try waitUntilAllIsTold(8, by: backend)
        let isBack = fault.signal == .stop
        if isBack {
            nodes[leader].process.send(.resume)
            try nodes.wait(for: "thawed.", through: leader)
            for round in 8..<10 { try change(round, through: nodes.nodes) }
            try waitUntilAllIsTold(10, by: backend)
        }
        let messages = backend.messages
        for user in HookNodesTests.users {
            let states = messages.filter { $0.data.user?.text == user }.map { $0.data.contracts?.count ?? 0 }
            #expect(states.max() == (isBack ? 10 : 8))
            // What was on its way when the node was frozen may arrive when it runs again; nothing else comes late.
            let late = states.indices.filter { states[$0] < states[..<$0].max() ?? 0 }
            #expect(late.count <= (isBack ? 1 : 0), "\(user): \(states)")
        }
    }

    private func waitUntilAllIsTold(_ count: Int, by backend: AnsweringServer) throws {
        try Deadline(.seconds(90)).wait(for: "\(count) states of each user") {
            let messages = backend.messages
            return HookNodesTests.users.allSatisfy { user in
                messages.contains { $0.data.user?.text == user && $0.data.contracts?.count == count }
            }
        }
    }
}

extension AnsweringServer {
    fileprivate var messages: [HookMessage] {
        requests.compactMap { JSON.decode(HookMessage.self, from: Array($0.body.utf8)) }
    }
}
