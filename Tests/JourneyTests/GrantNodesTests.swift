import API
import APIModel
import Encoding
import HTTPClient
import TestSupport
import Testing

/// Grants of several servers on one ledger in a real PostgreSQL.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct GrantNodesTests {
    private static let month = #"{"product":"pro","days":30,"reason":"ticket 7"}"#

    private func grant(through node: PaycastServer) throws -> GrantAnswer {
        let answer = try PostgresNodes.call(
            "POST",
            to: node.url + "/users/42/grants",
            headers: [("Idempotency-Key", "ticket-7")],
            body: Self.month
        )
        return try #require(JSON.decode(GrantAnswer.self, from: answer.body))
    }

    /// Made through one node and taken back through another; the pages of all nodes turn, and a key is one grant on all.
    @Test func pagesOfAllNodesTurn() async throws {
        let nodes = try PostgresNodes()
        let pages = try [0, 1].map { try nodes.page(on: $0) }
        let answers = try await withThrowingTaskGroup(of: GrantAnswer.self) { group in
            for number in 0..<10 { group.addTask { try grant(through: nodes[number % 2]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let granted = try #require(answers.first)
        #expect(answers.allSatisfy { $0 == granted })
        for page in pages { #expect(try page.message().data?.contains(#"data-state="cancelled""#) == true) }
        try nodes.ask("DELETE", "/users/42/grants/\(granted.grant)?reason=mistake", on: 1)
        for page in pages {
            var back = ""
            while !back.contains(#"data-state="revoked""#) { back = try page.message().data ?? "" }
        }
        for node in [0, 1] {
            let audit = try #require(
                JSON.decode(AuditAnswer.self, from: Array(nodes.ask("GET", "/audit", on: node).utf8))
            )
            #expect(audit.entries.map(\.action) == ["revoke", "grant"])
        }
        // kill -9 in between: the other node knows it, and the key.
        try nodes[0].stop()
        #expect(try grant(through: nodes[1]).grant == granted.grant)
        #expect(try nodes.ask("GET", "/users/42/entitlements", on: 1).contains(#""active":false"#))
    }

    /// Of those who have seen the same and act at once, one does something, and the others are told.
    @Test func whoActsAtOnceIsTold() async throws {
        let nodes = try PostgresNodes()
        let seen = try #require(JSONNode(try nodes.ask("GET", "/users/42", on: 0))?["since"]?.text)
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<10 {
                group.addTask {
                    let url = nodes[number % 2].url + "/users/42/grants?unchanged_since=\(seen)"
                    let answer = try PostgresNodes.call("POST", to: url, body: Self.month)
                    return
                        "\(answer.status) \(JSONNode(String(decoding: answer.body, as: UTF8.self))?["error"]?.text ?? "")"
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == ["201 "] + Array(repeating: "409 changed_since", count: 9))
        #expect(try nodes.ask("GET", "/users/42/entitlements", on: 0).grantCount == 1)
    }
}
