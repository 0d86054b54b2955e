import API
import Encoding
import HTTPClient
import TestSupport
import Testing

/// A key for stream names is replaced on two nodes, as the article says: `NEW,OLD`, reloaded one after the other.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct KeyRotationTests {
    private static let old = "old-key-of-the-tests-0123456789abcdef"
    private static let new = "new-key-of-the-tests-0123456789abcdef"

    struct Nodes {
        let folder = TemporaryFolder()
        let nodes: PostgresNodes

        init(_ variable: String) throws {
            let folder = folder
            let environments = (0..<2).map { index in
                ["PAYCAST_STREAM_KEYS": "", variable + "_FILE": folder.write(KeyRotationTests.old, to: "keys\(index)")]
            }
            nodes = try PostgresNodes(environments: environments)
        }

        func reload(_ node: Int, _ keys: [String]) throws {
            let count = { nodes[node].process.errors.ranges(of: " reloaded ").count }
            let before = count()
            folder.write(keys.joined(separator: ","), to: "keys\(node)")
            nodes[node].process.send(.hangUp)
            try Deadline(.seconds(60)).wait(for: "a reload") { count() > before }
        }

        /// A name that this node has signed just now, which opens a page on every node.
        @discardableResult
        func name(by node: Int) throws -> String {
            let answer = try nodes.ask("GET", "/users/42/stream", on: node)
            let name = try #require(JSONNode(answer)?["signed_stream"]?.text)
            try expectGood(name)
            return name
        }

        /// On every node.
        func expectGood(_ name: String) throws {
            for node in nodes.nodes {
                let answer = try HTTPClient(timeout: .seconds(60)).send(
                    "GET",
                    to: node.url + "/entitlements?name=" + name
                )
                #expect(answer.status == 200, "\(name)")
            }
        }

        func names() throws -> Set<String> { Set(try [0, 1].map { try name(by: $0) }) }

        /// Signs and verifies all the time until both nodes know of each other's change.
        func wait(for what: String, until isSo: () throws -> Bool) throws {
            try Deadline(.seconds(60)).wait(for: what) {
                _ = try names()
                return try isSo()
            }
        }
    }

    @Test(arguments: ["PAYCAST_STREAM_KEYS", "SECRET_KEY_BASE"]) func noPageIsRefused(_ variable: String) throws {
        let (old, new) = (KeyRotationTests.old, KeyRotationTests.new)
        let nodes = try Nodes(variable)
        try nodes.nodes.wait(on: 0, for: "both nodes") { $0.nodes.count == 2 }
        let first = try nodes.names()
        #expect(first.count == 1)
        try nodes.reload(0, [new, old])
        // The first node goes on with the old key for as long as the second does not know the new one.
        try nodes.wait(for: "the difference, everywhere") {
            try [0, 1].allSatisfy { try nodes.nodes.ready(on: $0).warnings.contains { $0.hasPrefix(variable) } }
        }
        #expect(try nodes.names() == first)
        try nodes.reload(1, [new, old])
        try nodes.wait(for: "the new key on both nodes") { try nodes.names().isDisjoint(with: first) }
        #expect(try nodes.names().count == 1)
        try nodes.wait(for: "no difference") {
            try [0, 1].allSatisfy { try nodes.nodes.ready(on: $0).warnings.isEmpty }
        }
        // What was signed before is still good, until the old key goes.
        for name in first { try nodes.expectGood(name) }
        for node in [0, 1] { try nodes.reload(node, [new]) }
        #expect(try nodes.names().isDisjoint(with: first))
    }

    /// A node that starts with a new key asks before it signs anything.
    @Test func aNodeThatStartsSignsWithWhatTheOthersVerify() throws {
        let (old, new) = (KeyRotationTests.old, KeyRotationTests.new)
        let nodes = try Nodes("PAYCAST_STREAM_KEYS")
        let before = try nodes.names()
        nodes.folder.write("\(new),\(old)", to: "keys0")
        try nodes.nodes[0].restart(with: .terminate)
        #expect(try nodes.names() == before)
    }
}
