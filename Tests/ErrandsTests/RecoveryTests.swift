import Crypto
import Domain
import Errands
import Ledger
import Providers
import Runtime
import Stores
import TestSupport
import Testing

/// Histories of a scripted Apple, read into a real ledger.
@Suite(.timeLimit(.minutes(10))) struct RecoveryTests {
    private static let now = AppleStage.now

    @Test func everyNotificationCountsOnce() throws {
        let (stage, ledger) = (try AppleStage(), try LedgerStage())
        for second in 0..<45 {
            try stage.say("SUBSCRIBED", lineage: "20000000\(1000 + second)", at: Self.now - .seconds(second * 60))
        }
        let first = ledger.recovery(stage).recover(since: nil)
        #expect((first.found, first.recovered, first.refused) == (45, 45, 0))
        #expect(first.outcomes == [.unclaimed: 45])
        let second = ledger.recovery(stage).recover(since: nil)
        #expect((second.found, second.recovered) == (45, 0))
        #expect(second.problems.isEmpty)
        ledger.close()
    }

    /// The first time a day is asked for, later what is newer than the last success, and a little more.
    @Test func goesOnWhereItEnded() throws {
        let (stage, ledger) = (try AppleStage(), try LedgerStage())
        _ = ledger.recovery(stage).recover(since: nil)
        _ = ledger.recovery(stage).recover(since: nil)
        let starts = try stage.server.requests.map { try start(of: $0) }
        #expect(starts.count == 2)
        #expect(abs(starts[0] - (Self.now - .seconds(86_400)).milliseconds) < 60_000)
        #expect(abs(starts[1] - (Self.now - .seconds(7200)).milliseconds) < 60_000)
        ledger.close()
    }

    @Test func failureLeavesTheMarkWhereItWas() throws {
        let ledger = try LedgerStage()
        let broken = try AppleStage { _ in .init(500) }
        let report = ledger.recovery(broken).recover(since: nil)
        #expect(report.isFailure)
        #expect(report.problems.count == 1)
        let stage = try AppleStage()
        _ = ledger.recovery(stage).recover(since: nil)
        #expect(abs(try start(of: stage.server.requests[0]) - (Self.now - .seconds(86_400)).milliseconds) < 60_000)
        ledger.close()
    }

    @Test func keyThatIsNotAcceptedIsExplained() throws {
        let (stage, ledger) = (try AppleStage { _ in .init(401) }, try LedgerStage())
        let report = ledger.recovery(stage, in: [.production]).recover(since: nil)
        #expect(report.problems.first?.contains("first release") == true)
        ledger.close()
    }

    /// One environment that cannot be asked does not keep the other from being read.
    @Test func unreleasedAppIsReadInSandbox() throws {
        let stage = try AppleStage { $0.path.hasPrefix("/Production") ? .init(401) : nil }
        let ledger = try LedgerStage()
        try stage.say(at: Self.now - .seconds(5))
        let report = ledger.recovery(stage, in: [.production, .sandbox]).recover(since: nil)
        #expect(!report.isFailure)
        #expect((report.found, report.problems.count) == (1, 1))
        ledger.close()
    }

    @Test func foreignSignatureIsRefused() throws {
        let foreign = try DevelopmentAuthority.create()
        let stage = try AppleStage(roots: TrustedRoots(pem: foreign.root))
        let ledger = try LedgerStage()
        try stage.say(at: Self.now - .seconds(5))
        let report = ledger.recovery(stage).recover(since: nil)
        #expect((report.found, report.refused, report.recovered) == (1, 1, 0))
        ledger.close()
    }

    struct Loop: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: @Sendable (AnsweringServer.Request) -> AnsweringServer.Answer
    }

    private static func page(_ next: String?) -> AnsweringServer.Answer {
        .init(200, #"{"notificationHistory":[],"hasMore":true\#(next.map { #","paginationToken":"\#($0)""# } ?? "")}"#)
    }

    @Test(arguments: [
        Loop(testDescription: "the same page again") { _ in page("a") },
        Loop(testDescription: "two pages in a circle") { page($0.parameter("paginationToken") == "a" ? "b" : "a") },
        Loop(testDescription: "more, but not where") { _ in page(nil) },
        Loop(testDescription: "page expires again and again") {
            $0.query.isEmpty ? page("a") : .init(400, #"{"errorCode":4000017}"#)
        },
    ]) func historyWithoutAnEndIsLeft(_ loop: Loop) throws {
        let (stage, ledger) = (try AppleStage { loop.answer($0) }, try LedgerStage())
        let report = ledger.recovery(stage).recover(since: nil)
        #expect(report.isFailure)
        #expect(stage.server.requests.count < 30)
        ledger.close()
    }

    /// Dates that the documentation allows are refused: what the store does keep is read all the same.
    @Test func shrinksUntilTheStoreAnswers() throws {
        let kept = (Self.now - .seconds(3 * 86_400)).milliseconds
        let stage = try AppleStage { request in
            let start = (try? RecoveryTests().start(of: request)) ?? 0
            return start < kept ? .init(400, #"{"errorCode":4000012}"#) : nil
        }
        let ledger = try LedgerStage()
        try stage.say("SUBSCRIBED", lineage: "2000000000000001", at: Self.now - .seconds(2 * 86_400))
        try stage.say("SUBSCRIBED", lineage: "2000000000000002", at: Self.now - .seconds(86_400 / 2))
        let report = ledger.recovery(stage).recover(since: Self.now - .seconds(20 * 86_400))
        #expect((report.recovered, report.problems) == (2, []))
        ledger.close()
    }

    @Test func stopsInTheMiddle() throws {
        let stage = try AppleStage { Self.page("\(($0.parameter("paginationToken").flatMap { Int($0) } ?? 0) + 1)") }
        let ledger = try LedgerStage()
        let recovery = ledger.recovery(stage)
        recovery.start()
        try ledger.wait { stage.server.requests.count > 2 }
        recovery.close()
        let count = stage.server.requests.count
        ledger.close()
        #expect(stage.server.requests.count == count)
    }

    private func start(of request: AnsweringServer.Request) throws -> Int64 {
        let text = try #require(request.body.split(separator: #""startDate":"#).last).prefix { $0.isNumber }
        return try #require(Int64(text))
    }
}
