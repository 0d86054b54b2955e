import APIModel
import Stores
import TestSupport
import Testing

@testable import Commands

/// Lists that are posted to a server that answers as the test says.
@Suite(.blocking) struct ImporterTests {
    private static let rows = "abcdefghijklmnopqrst".map { "sub_\($0)" }

    /// Imports a row of Stripe's for each id.
    private func report(on ids: [String], at server: AnsweringServer) throws -> ImportReport {
        var words = Arguments(["--server", server.url, "--key", "0123456789abcdef"])
        let remote = try RemoteServer(&words, environment: [:])
        let list = ids.map { "42,stripe,\($0)\n" }.joined()
        let importer = Importer(
            try RecordReaderTests.reader(Array(list.utf8), size: 1000),
            columns: .csv(["user", "store", "id"]),
            note: ImportNote(server: remote.url, isTransfer: false),
            remote: remote,
            settings: Importer.Settings(rate: 1000)
        )
        return try importer.run()
    }

    /// A server whose store has all rows, but tells nothing that can be used of those.
    private func server(unreadable ids: Set<String>, after seconds: Int) -> AnsweringServer {
        AnsweringServer { request in
            guard ids.contains(where: { request.body.contains("\"\($0)\"") }) else {
                return .init(200, body: #"{"outcome":"applied","event":"e","cursor":"1","claim":"yours"}"#)
            }
            let error = VerificationError.storeUnreachable(.unreadable)
            return .init(
                503,
                body: ErrorAnswer(error: error.code, message: error.message).json,
                headers: [("Retry-After", "\(seconds)")]
            )
        }
    }

    /// Nothing else is in the list that could show that the store is well.
    @Test func aListOfOneRowThatIsNeverAnsweredEnds() throws {
        let server = server(unreadable: ["sub_a"], after: 1)
        #expect(try report(on: ["sub_a"], at: server) == ImportReport(rows: 1, unanswered: 1))
        #expect(server.requests.count == 3)
    }

    /// It waits by itself.
    @Test func anUnusableAnswerStopsNoOtherRow() throws {
        let server = server(unreadable: ["sub_b"], after: 5)
        let expected = ImportReport(rows: 20, applied: 19, unanswered: 1)
        #expect(try report(on: Self.rows, at: server) == expected)
        let asked = server.requests.map { $0.body.contains(#""sub_b""#) }
        // All others were asked before it was asked again.
        #expect(asked.prefix(20).count { $0 } == 1 && asked.count == 22, "\(asked)")
    }
}
