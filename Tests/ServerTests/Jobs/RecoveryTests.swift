import Crypto
import Domain
import Stores
import Support
import TestSupport
import Testing

@testable import Ledger
@testable import Server

/// Histories of a scripted Apple, read into a real ledger.
@Suite(.blocking) struct RecoveryTests {
    private static let now = AppleFixture.now

    @Test func everyNotificationCountsOnce() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        for second in 0..<45 {
            try fixture.say("SUBSCRIBED", lineage: "20000000\(1000 + second)", at: Self.now - .seconds(second * 60))
        }
        var told: [Int] = []
        let first = try ledger.recovery(fixture).recover(since: nil) { told.append($0.recovered) }
        #expect((first.found, first.recovered, first.refused) == (45, 45, 0))
        #expect(told == [20, 40, 45])
        #expect(first.outcomes == [.unclaimed: 45])
        let second = try ledger.recovery(fixture).recover(since: nil)
        #expect((second.found, second.recovered) == (45, 0))
        #expect(second.problems.isEmpty)
        ledger.close()
    }

    /// The first time a day is asked for, later what is newer than the last success, and a little more.
    @Test func goesOnWhereItEnded() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        _ = try ledger.recovery(fixture).recover(since: nil)
        _ = try ledger.recovery(fixture).recover(since: nil)
        let starts = try fixture.server.requests.map { try start(of: $0) }
        #expect(starts.count == 2)
        #expect(abs(starts[0] - (Self.now - .seconds(86_400)).milliseconds) < 60_000)
        #expect(abs(starts[1] - (Self.now - .seconds(7200)).milliseconds) < 60_000)
        ledger.close()
    }

    @Test func failureLeavesTheMarkWhereItWas() throws {
        let ledger = try LedgerFixture()
        let broken = try AppleFixture { _ in .init(500) }
        let report = try ledger.recovery(broken).recover(since: nil)
        #expect(report.isFailure)
        #expect(report.problems.count == 1)
        let fixture = try AppleFixture()
        _ = try ledger.recovery(fixture).recover(since: nil)
        #expect(abs(try start(of: fixture.server.requests[0]) - (Self.now - .seconds(86_400)).milliseconds) < 60_000)
        ledger.close()
    }

    @Test func keyThatIsNotAcceptedIsExplained() throws {
        let (fixture, ledger) = (try AppleFixture { _ in .init(401) }, try LedgerFixture())
        let report = try ledger.recovery(fixture, in: [.production]).recover(since: nil)
        #expect(report.problems.first?.contains("first release") == true)
        ledger.close()
    }

    /// One environment that cannot be asked does not keep the other from being read.
    @Test func unreleasedAppIsReadInSandbox() throws {
        let fixture = try AppleFixture { $0.path.hasPrefix("/Production") ? .init(401) : nil }
        let ledger = try LedgerFixture()
        try fixture.say(at: Self.now - .seconds(5))
        let report = try ledger.recovery(fixture, in: [.production, .sandbox]).recover(since: nil)
        #expect(!report.isFailure)
        #expect((report.found, report.problems.count) == (1, 1))
        ledger.close()
    }

    @Test func foreignSignatureIsRefused() throws {
        let foreign = try DevelopmentAuthority.create()
        let fixture = try AppleFixture(roots: TrustedRoots(pem: foreign.root))
        let ledger = try LedgerFixture()
        try fixture.say(at: Self.now - .seconds(5))
        let report = try ledger.recovery(fixture).recover(since: nil)
        #expect((report.found, report.refused, report.recovered) == (1, 1, 0))
        ledger.close()
    }

    /// Of a server whose operator mistyped the app's number.
    private func misconfigured() throws -> AppleVerifier {
        try AppleVerifier(
            bundleIDs: .only([AppleFixture.bundle]),
            appIDs: .only([99]),
            environments: [.production, .sandbox],
            roots: try #require(TrustedRoots(pem: AppleFixture.authority.get().root))
        )
    }

    private let mark = "history/apple/Production/\(AppleFixture.bundle)"

    /// Genuine, and refused by a wrong setting: it is there, once, when the setting is right.
    @Test func refusedHistoryIsReadAgainWithTheRightSettings() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        defer { ledger.close() }
        let wrong = try ledger.recovery(fixture, in: [.production], verifier: try misconfigured())
        try fixture.say("SUBSCRIBED", in: .production, at: Self.now - .seconds(5 * 3600))
        let report = wrong.recover(since: nil)
        #expect((report.found, report.refused, report.recovered) == (1, 1, 0))
        #expect(report.problems.first?.contains("wrong_app; check PAYCAST_APPLE_APP_ID") == true, "\(report)")
        #expect(wrong.problems == report.problems)
        #expect(ledger.metrics.page().contains("paycast_recovery_refused_total 1"))
        #expect(ledger.lines.all.contains { $0.contains("history entries refused") && $0.contains("count=1") })
        let kept = try #require(try ledger.mark(mark))
        #expect(abs(kept.milliseconds - (Self.now - .seconds(86_400)).milliseconds) < 60_000)

        // What is new does not carry the mark along, and the mark does not wander back.
        try fixture.say("DID_RENEW", in: .production, at: Self.now - .seconds(60))
        #expect(wrong.recover(since: nil).refused == 2)
        #expect(try ledger.mark(mark) == kept)

        let right = try ledger.recovery(fixture, in: [.production])
        let second = right.recover(since: nil)
        #expect((second.found, second.recovered, second.problems) == (2, 2, []))
        #expect(right.problems.isEmpty)
        #expect(try #require(try ledger.mark(mark)) >= Self.now)
    }

    /// What was read with the right settings stays read.
    @Test func markStaysWhereTheSettingsWereRight() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        defer { ledger.close() }
        try fixture.say("SUBSCRIBED", in: .production, at: Self.now - .seconds(3600))
        _ = try ledger.recovery(fixture, in: [.production]).recover(since: nil)
        let kept = try #require(try ledger.mark(mark))
        let wrong = try ledger.recovery(fixture, in: [.production], verifier: try misconfigured())
        #expect(wrong.recover(since: nil).problems.count == 1)
        #expect(try ledger.mark(mark) == kept)
    }

    /// An entry that no setting of ours admits, beside others that are genuine, holds nothing up.
    @Test func oddEntryIsPassed() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        defer { ledger.close() }
        let odd = try fixture.body(of: "SUBSCRIBED", in: .production, app: 99)
        #expect(fixture.standIn.remember(odd, event: "odd"))
        try fixture.say("SUBSCRIBED", in: .production, at: Self.now - .seconds(60))
        let recovery = try ledger.recovery(fixture, in: [.production])
        let report = recovery.recover(since: nil)
        #expect((report.found, report.refused, report.recovered) == (2, 1, 1))
        #expect(report.problems.isEmpty && recovery.problems.isEmpty)
        #expect(try #require(try ledger.mark(mark)) >= Self.now)
    }

    /// Settings that fit nothing cost a bounded number of questions, however long the history is.
    @Test func refusalsWithoutAnEndAreLeft() throws {
        let fixture = try AppleFixture()
        let body = String(decoding: try fixture.body(of: "SUBSCRIBED", in: .production), as: UTF8.self)
        let entries = Array(repeating: body, count: 20).joined(separator: ",")
        let endless = try AppleFixture { request in
            let page = (request.parameter("paginationToken").flatMap { Int($0) } ?? 0) + 1
            return .init(
                200,
                body: #"{"notificationHistory":[\#(entries)],"hasMore":true,"paginationToken":"\#(page)"}"#
            )
        }
        let ledger = try LedgerFixture()
        defer { ledger.close() }
        let report = try ledger.recovery(endless, in: [.production], verifier: try misconfigured()).recover(since: nil)
        #expect((report.refused, endless.server.requests.count) == (1000, 50))
        #expect(report.problems.count == 1)
    }

    struct Loop: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: @Sendable (AnsweringServer.Request) -> AnsweringServer.Answer
    }

    private static func page(_ next: String?) -> AnsweringServer.Answer {
        .init(
            200,
            body: #"{"notificationHistory":[],"hasMore":true\#(next.map { #","paginationToken":"\#($0)""# } ?? "")}"#
        )
    }

    @Test(arguments: [
        Loop(testDescription: "the same page again") { _ in page("a") },
        Loop(testDescription: "two pages in a circle") { page($0.parameter("paginationToken") == "a" ? "b" : "a") },
        Loop(testDescription: "more, but not where") { _ in page(nil) },
        Loop(testDescription: "page expires again and again") {
            $0.query.isEmpty ? page("a") : .init(400, body: #"{"errorCode":4000017}"#)
        },
    ]) func historyWithoutAnEndIsLeft(_ loop: Loop) throws {
        let (fixture, ledger) = (try AppleFixture { loop.answer($0) }, try LedgerFixture())
        let report = try ledger.recovery(fixture).recover(since: nil)
        #expect(report.isFailure)
        #expect(fixture.server.requests.count < 30)
        ledger.close()
    }

    /// Dates that the documentation allows are refused: what the store does keep is read all the same.
    @Test func shrinksUntilTheStoreAnswers() throws {
        let kept = (Self.now - .seconds(3 * 86_400)).milliseconds
        let fixture = try AppleFixture { request in
            let start = (try? RecoveryTests().start(of: request)) ?? 0
            return start < kept ? .init(400, body: #"{"errorCode":4000012}"#) : nil
        }
        let ledger = try LedgerFixture()
        try fixture.say("SUBSCRIBED", lineage: "2000000000000001", at: Self.now - .seconds(2 * 86_400))
        try fixture.say("SUBSCRIBED", lineage: "2000000000000002", at: Self.now - .seconds(86_400 / 2))
        let report = try ledger.recovery(fixture).recover(since: Self.now - .seconds(20 * 86_400))
        #expect((report.recovered, report.problems) == (2, []))
        ledger.close()
    }

    @Test func stopsInTheMiddle() throws {
        let fixture = try AppleFixture {
            Self.page("\(($0.parameter("paginationToken").flatMap { Int($0) } ?? 0) + 1)")
        }
        let ledger = try LedgerFixture()
        let recovery = try ledger.recovery(fixture)
        recovery.start()
        try ledger.wait { fixture.server.requests.count > 2 }
        recovery.close()
        let count = fixture.server.requests.count
        ledger.close()
        #expect(fixture.server.requests.count == count)
    }

    /// Another node goes on where this one ended: nothing is wrong with the store.
    @Test func whoLosesTheLeaseEndsWithoutBlame() throws {
        let lease = LeaderLease()
        let fixture = try AppleFixture { request in
            if request.parameter("paginationToken") != nil { lease.resign() }
            return nil
        }
        let ledger = try LedgerFixture()
        for second in 0..<45 {
            let at = Self.now - .seconds(10_000 + second * 60)
            try fixture.say("SUBSCRIBED", lineage: "20000000\(1000 + second)", at: at)
        }
        #expect(lease.renew(.only, until: .max))
        let recovery = try ledger.recovery(fixture, under: lease)
        recovery.start()
        try ledger.wait { ledger.lines.all.contains { $0.contains("found=20") } }
        // Its lease may come back. What it left out is read again then.
        #expect(lease.renew(.only, until: .max))
        #expect(recovery.problems.isEmpty)
        recovery.close()
        #expect(fixture.server.requests.count == 2)
        #expect(recovery.problems.isEmpty)
        #expect(ledger.lines.all.filter { $0.contains("history not read") } == [])
        let rest = try ledger.recovery(fixture).recover(since: nil)
        #expect((rest.found, rest.recovered) == (45, 25))
        ledger.close()
    }

    private func start(of request: AnsweringServer.Request) throws -> Int64 {
        let text = try #require(request.body.split(separator: #""startDate":"#).last).prefix { $0.isNumber }
        return try #require(Int64(text))
    }
}
