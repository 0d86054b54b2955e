import Stores
import Testing

@testable import Domain
@testable import Ledger
@testable import Server

@Suite struct RetryDecisionTests {
    static let now = Instant(milliseconds: 1_767_225_600_000)

    static func queued(
        _ kind: Job.Kind = .finish,
        subject: String = "1",
        id: Int64 = 1,
        attempts: Int = 0,
        age: Duration = .zero,
        deadline: Duration? = nil
    ) -> QueuedJob {
        let job = Job(
            kind: kind,
            provider: kind == .acknowledge ? .google : .apple,
            environment: .sandbox,
            app: "com.example",
            subject: subject,
            deadline: deadline.map { now + $0 }
        )
        return QueuedJob(id: id, job: job, attempts: attempts, queuedAt: now - age)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var queued: QueuedJob
        var error: StoreAPIError
        /// Nil: given up.
        var retry: Duration?
    }

    /// Nobody has answered Apple in time, or Apple would not read the answer any more; Google may still be told.
    @Test(arguments: [
        (queued(.refundRequest, deadline: .zero), JobResult.done),
        (queued(.consumption, deadline: .zero), .abandoned(reason: "its time is up")),
        (queued(.consumption, deadline: .milliseconds(1)), nil), (queued(.acknowledge, deadline: .seconds(-1)), nil),
    ]) func whatIsTooLateIsNotTried(_ queued: QueuedJob, result: JobResult?) {
        #expect(RetryDecision(job: queued, now: Self.now, jitter: 1).resultWithoutTrying == result)
    }

    private static let down = StoreAPIError.unavailable(reason: "down")

    @Test(arguments: [
        Case(testDescription: "down", queued: queued(), error: down, retry: .seconds(1)),
        Case(testDescription: "down for the fourth time", queued: queued(attempts: 3), error: down, retry: .seconds(8)),
        Case(
            testDescription: "asks to come back",
            queued: queued(),
            error: .unavailable(reason: "429", after: now + .seconds(90)),
            retry: .seconds(90)
        ),
        Case(
            testDescription: "asks to come back at once",
            queued: queued(attempts: 3),
            error: .unavailable(reason: "429", after: now),
            retry: .seconds(8)
        ),
        Case(
            testDescription: "asks to come back in a century",
            queued: queued(),
            error: .unavailable(reason: "429", after: Instant(milliseconds: .max)),
            retry: .seconds(3600)
        ),
        Case(testDescription: "key refused", queued: queued(), error: .unauthorized(reason: ""), retry: .seconds(1)),
        Case(testDescription: "unreadable", queued: queued(), error: .unreadable(reason: ""), retry: .seconds(1)),
        Case(
            testDescription: "refused",
            queued: queued(),
            error: .refused(status: 404, code: "4040010", reason: "unknown"),
            retry: nil
        ),
        Case(
            testDescription: "before its deadline",
            queued: queued(.acknowledge, age: .seconds(86_400 * 40), deadline: .seconds(1)),
            error: down,
            retry: .seconds(1)
        ),
        Case(
            testDescription: "at its deadline",
            queued: queued(.acknowledge, deadline: .zero),
            error: down,
            retry: nil
        ),
        Case(
            testDescription: "forward on the third day",
            queued: queued(.forward, age: .seconds(86_400 * 3 - 1)),
            error: down,
            retry: .seconds(1)
        ),
        Case(
            testDescription: "forward after three days",
            queued: queued(.forward, age: .seconds(86_400 * 3)),
            error: down,
            retry: nil
        ),
        Case(
            testDescription: "token after a month",
            queued: queued(.setToken, age: .seconds(86_400 * 30)),
            error: down,
            retry: nil
        ),
    ]) func decides(_ given: Case) {
        let result = RetryDecision(job: given.queued, now: Self.now, jitter: 1).result(of: given.error)
        switch (result, given.retry) {
        case (.retry(let at, _), let expected?): #expect(at == Self.now + expected)
        case (.abandoned, nil): break
        default: Issue.record("\(result)")
        }
    }

    @Test func storeThatIsDownIsNotAskedAgainInTheRound() {
        var round = JobRound()
        let jobs = [Self.queued(.finish, subject: "7", id: 1), Self.queued(.setToken, subject: "8", id: 2)]
        var other = jobs[1]
        other.job.app = "com.other"
        round.failed(jobs[0], error: .refused(status: 400, code: nil, reason: ""))
        #expect(round.obstacle(to: jobs[1]) == nil)
        round.failed(jobs[0], error: Self.down)
        #expect(round.obstacle(to: jobs[1]) == Self.down)
        #expect(round.obstacle(to: other) == nil)
    }

    /// Whose app it is says nothing to a staging server.
    @Test func stagingServerThatIsDownIsNotAskedAgainInTheRound() {
        var (round, other) = (JobRound(), Self.queued(.forward, subject: "https://a", id: 2))
        other.job.app = "com.other"
        round.failed(Self.queued(.forward, subject: "https://a"), error: Self.down)
        #expect(round.obstacle(to: other) == Self.down)
    }

    @Test func destinationIsCarriedToOnceAtATime() {
        var lanes = JobLanes()
        let (google, staging) = (Job.Destination.store(.google), Job.Destination.address("https://a"))
        #expect(lanes.begin([google], now: Self.now) == [google])
        #expect(lanes.begin([google, staging], now: Self.now) == [staging])
        lanes.end(google, isCommitted: true, now: Self.now)
        #expect(lanes.begin([google, staging], now: Self.now) == [google])
    }

    /// Of what the ledger did not take it would be told again at once.
    @Test func destinationRestsWhileTheLedgerTakesNothing() {
        var lanes = JobLanes()
        let google = Job.Destination.store(.google)
        _ = lanes.begin([google], now: Self.now)
        lanes.end(google, isCommitted: false, now: Self.now)
        #expect(lanes.begin([google], now: Self.now + .seconds(9)).isEmpty)
        #expect(lanes.begin([google], now: Self.now + .seconds(10)) == [google])
        lanes.end(google, isCommitted: false, now: Self.now + .seconds(3600))
        #expect(lanes.begin([google], now: Self.now) == [google], "the clock was set back")
    }

    struct Alarm: Sendable {
        var seconds: Int64?
        var unacknowledged = 0
        var problems: Int
        var left: Int
    }

    @Test(arguments: [
        Alarm(seconds: nil, problems: 0, left: 999_999_999), Alarm(seconds: 86_401, problems: 0, left: 86_401),
        Alarm(seconds: 86_399, problems: 1, left: 86_399), Alarm(seconds: -5, problems: 1, left: -5),
        Alarm(seconds: nil, unacknowledged: 2, problems: 1, left: 999_999_999),
    ]) func operatorIsToldADayBefore(_ given: Alarm) {
        var alarm = JobAlarm()
        alarm.now = Self.now
        alarm.unacknowledged = given.unacknowledged
        alarm.backlog.nearestDeadline = given.seconds.map { Self.now + .seconds($0) }
        #expect(alarm.problems.count == given.problems)
        #expect(alarm.secondsLeft(at: Self.now) == given.left)
    }
}
