import Ledger
import Stores
import Support
import Synchronization
import TestSupport
import Testing

@testable import Domain
@testable import Server

/// Jobs against the stand-in and other servers, over real sockets, out of a real ledger.
@Suite(.blocking) struct JobRunnerTests {
    private let lineage = "2000000000000007"

    private func purchase(_ fixture: AppleFixture) throws -> Event {
        try fixture.say()
        return try #require(try fixture.api.history(of: lineage, in: .sandbox, now: AppleFixture.now).first)
    }

    /// Bought outside the app: the claimant's order is told to Apple, and every later notification carries it.
    @Test func accountTokenIsSetAfterAClaim() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        let runner = ledger.runner([.apple: fixture.api])
        runner.start()
        let order = try ledger.order(for: "42")
        let receipt = try ledger.send(purchase(fixture), claim: Claim(user: "42", order: order))
        #expect(receipt.claim == .granted)
        try ledger.wait { fixture.server.requests.contains { $0.method == "PUT" } }
        try ledger.wait { try ledger.backlog().waiting == 0 }
        let later = try fixture.api.statuses(of: lineage, in: .sandbox, now: AppleFixture.now)
        #expect(later.first?.observation?.token == order)
        runner.close()
        ledger.close()
    }

    @Test func finishedAfterTheCommit() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        let runner = ledger.runner([.apple: fixture.api])
        var event = try purchase(fixture)
        event.jobs = [job(.finish, subject: lineage)]
        try ledger.send(event)
        runner.start()
        try ledger.wait { try ledger.backlog().waiting == 0 }
        #expect(fixture.server.requests.last?.path.hasSuffix("/\(lineage)/finish") == true)
        runner.close()
        ledger.close()
    }

    @Test func whatAppleRefusesIsGivenUp() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        let runner = ledger.runner([.apple: fixture.api])
        var event = try purchase(fixture)
        event.jobs = [job(.finish, subject: "2000000000000099")]
        try ledger.send(event)
        runner.start()
        try ledger.wait { ledger.metrics.page().contains("paycast_jobs_abandoned_total 1") }
        #expect(fixture.server.requests.count { $0.method == "POST" } == 1)
        #expect(ledger.lines.all.contains { $0.contains("job abandoned") && $0.contains("4040010") })
        #expect(!ledger.lines.all.contains { $0.contains("2000000000000099") })
        // A counter: what comes later does not take it back.
        var next = try purchase(fixture)
        (next.id, next.jobs) = ("next", [job(.finish, subject: lineage)])
        try ledger.send(next)
        try ledger.wait { try ledger.backlog().waiting == 0 }
        #expect(ledger.metrics.page().contains("paycast_jobs_abandoned_total 1"))
        try ledger.wait { ledger.metrics.page().contains("paycast_jobs_waiting 0") }
        runner.close()
        ledger.close()
    }

    /// Google refunds after three days: somebody has to know a day before.
    @Test func nearDeadlineIsAProblem() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        let runner = ledger.runner([:])
        var event = try purchase(fixture)
        event.jobs = [job(.acknowledge, subject: "token", deadline: AppleFixture.now + .seconds(3600))]
        event.jobs[0].provider = .google
        try ledger.send(event)
        runner.start()
        try ledger.wait { !runner.problems.isEmpty }
        #expect(runner.problems[0].contains("must be acknowledged by 2026-01-01T01:00:00"))
        #expect(ledger.metrics.page().contains("paycast_jobs_waiting 1"))
        try ledger.wait { ledger.lines.all.contains { $0.contains("ERROR") && $0.contains("job urgent") } }
        runner.close()
        ledger.close()
    }

    @Test func forwardedBodyIsTheSameByteForByte() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        let attempts = Mutex(0)
        let staging = AnsweringServer { _ in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            return number == 1 ? .init(503, headers: [("Retry-After", "1")]) : .init(200)
        }
        let runner = ledger.runner([:])
        var verifier = fixture.verifier
        verifier.forwards = [staging.url + "/hook"]
        let body = try fixture.body(of: "SUBSCRIBED")
        let event = try verifier.verify(Delivery(body: body), now: AppleFixture.now)
        try ledger.send(event)
        #expect(try ledger.send(event).outcome == .duplicate)
        runner.start()
        try ledger.wait { try ledger.backlog().waiting == 0 }
        #expect(staging.requests.map(\.body) == Array(repeating: String(decoding: body, as: UTF8.self), count: 2))
        #expect(staging.requests.map(\.path) == ["/hook", "/hook"])
        runner.close()
        ledger.close()
    }

    /// A round may take minutes: 100 attempts, at a server that is slow.
    @Test func gaugeFallsWithEachJobOfABurst() throws {
        let (fixture, ledger) = (try AppleFixture(), try LedgerFixture())
        let gate = Promise<Void>()
        let count = Mutex(0)
        defer { gate.fulfil(()) }
        let staging = AnsweringServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 3 { gate.wait() }
            return .init(200)
        }
        let runner = ledger.runner([:])
        var verifier = fixture.verifier
        verifier.forwards = [staging.url]
        for _ in 0..<3 {
            try ledger.send(verifier.verify(Delivery(body: fixture.body(of: "SUBSCRIBED")), now: AppleFixture.now))
        }
        runner.start()
        try ledger.wait { staging.requests.count == 3 }
        try ledger.wait { ledger.metrics.page().contains("paycast_jobs_waiting 1\n") }
        gate.fulfil(())
        try ledger.wait { ledger.metrics.page().contains("paycast_jobs_waiting 0\n") }
        runner.close()
        ledger.close()
    }

    @Test func productionIsNotForwarded() throws {
        let fixture = try AppleFixture()
        var verifier = fixture.verifier
        verifier.forwards = ["https://staging.example"]
        let body = try fixture.body(of: "SUBSCRIBED", in: .production)
        #expect(try verifier.verify(Delivery(body: body), now: AppleFixture.now).jobs.isEmpty)
    }

    private func job(_ kind: Job.Kind, subject: String, deadline: Instant? = nil) -> Job {
        Job(
            kind: kind,
            provider: .apple,
            environment: .sandbox,
            app: AppleFixture.bundle,
            subject: subject,
            deadline: deadline
        )
    }
}
