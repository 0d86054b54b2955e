import TestSupport
import Testing

@testable import Domain
@testable import Ledger

@Suite(.blocking) struct JobTests {
    private let now = TemporaryLedger.start

    private func job(_ kind: Job.Kind, subject: String, deadline: Instant? = nil) -> Job {
        Job(
            kind: kind,
            provider: .google,
            environment: .production,
            app: "com.example",
            subject: subject,
            detail: "monthly",
            deadline: deadline
        )
    }

    @Test func areCommittedWithTheirEventOnce() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var event = Fixture.subscription("e1", state: .active)
        event.jobs = [
            job(.acknowledge, subject: "token", deadline: now + .seconds(9)), job(.forward, subject: "https://stage"),
        ]
        _ = try ledger.send(event)
        #expect(try ledger.send(event).outcome == .duplicate)
        var next = Fixture.subscription("e2", state: .active, minute: 1)
        next.jobs = [job(.acknowledge, subject: "token")]
        _ = try ledger.send(next)
        let due = try ledger.jobs(dueAt: now + .seconds(60))
        #expect(due.map(\.job) == event.jobs)
        #expect(due.map(\.body) == [nil, event.body])
        #expect(due.map(\.attempts) == [0, 0])
        let backlog = try ledger.backlog()
        #expect(backlog.waiting == 2)
        #expect(backlog.nearestDeadline == now + .seconds(9))
    }

    @Test func areRetriedDoneOrGivenUp() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        var event = Fixture.subscription("e1", state: .active)
        event.jobs = ["a", "b", "c"].map { job(.acknowledge, subject: $0) }
        _ = try ledger.send(event)
        let later = now + .seconds(3600)
        let due = try ledger.jobs(dueAt: now + .seconds(60))
        for (queued, result) in zip(
            due,
            [JobResult.done, .retry(at: later, reason: "down"), .abandoned(reason: "refused")]
        ) {
            try ledger.end(queued, with: result)
        }
        #expect(try ledger.jobs(dueAt: now + .seconds(60)).isEmpty)
        let backlog = try ledger.backlog()
        #expect(backlog == JobBacklog(waiting: 1, next: later, newest: 3))
        #expect(try abandoned(in: ledger) == ["c"])
        let again = try ledger.jobs(dueAt: later)
        #expect(again.map(\.job.subject) == ["b"])
        #expect(again.map(\.attempts) == [1])
    }

    /// Acknowledging a purchase that nobody receives would keep the buyer's money. Other servers may know the order, so
    /// it is still forwarded.
    @Test func quarantinedPurchaseIsNotAcknowledged() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly", provider: .apple)).order.token
        let key = Fixture.key("1", provider: .google)
        var event = Fixture.subscription("e1", state: .active, token: token, key: key)
        event.jobs = Job.Kind.allCases.map { job($0, subject: "token") }
        #expect(try ledger.send(event).outcome == .quarantined)
        #expect(try ledger.jobs(dueAt: now + .seconds(60)).map(\.job.kind) == [.forward])
        // A later event that contradicts nothing is acknowledged.
        var next = Fixture.subscription("e2", state: .active, minute: 1, key: key)
        next.jobs = [job(.acknowledge, subject: "token")]
        #expect(try ledger.send(next).outcome == .unclaimed)
        #expect(try ledger.jobs(dueAt: now + .seconds(60)).map(\.job.kind) == [.forward, .acknowledge])
    }

    /// Somebody can look up the reason, and the table does not grow for ever.
    @Test func abandonedJobIsForgottenAfterAMonth() throws {
        let path = TemporaryLedger.newPath()
        for (day, kept) in [(0, ["a"]), (29, ["a", "b"]), (31, ["b", "c"]), (62, ["d"])] {
            let ledger = try TemporaryLedger(at: path, now: now + .seconds(day * 86_400), kind: .file)
            var event = Fixture.subscription("e\(day)", state: .active, minute: Int64(day))
            event.jobs = [job(.acknowledge, subject: kept.last ?? "")]
            _ = try ledger.send(event)
            let due = try ledger.jobs(dueAt: now + .seconds(100 * 86_400))
            for queued in due {
                try ledger.end(queued, with: .abandoned(reason: "refused"))
            }
            #expect(try abandoned(in: ledger) == kept)
            day == 62 ? ledger.remove() : ledger.close()
        }
    }

    /// The runner asks every second: a backlog that has not changed is not counted again.
    @Test func backlogIsCountedWhenItChanges() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var event = Fixture.subscription("e1", state: .active)
        event.jobs = [job(.acknowledge, subject: "a"), job(.acknowledge, subject: "b", deadline: now + .seconds(9))]
        _ = try ledger.send(event)
        var known = try ledger.backlog()
        #expect((known.waiting, known.newest, known.nearestDeadline) == (2, 2, now + .seconds(9)))
        known.waiting = 77
        #expect(try ledger.backlog(after: known) == known)
        var next = Fixture.subscription("e2", state: .active, minute: 1)
        next.jobs = [job(.acknowledge, subject: "c")]
        _ = try ledger.send(next)
        known = try ledger.backlog(after: known)
        #expect(known.waiting == 3)
        for queued in try ledger.jobs(dueAt: now + .seconds(60)) {
            try ledger.end(queued, with: .retry(at: now + .seconds(3600), reason: "down"))
        }
        known.waiting = 77
        #expect(try ledger.backlog(after: known).waiting == 3)
    }

    /// However many jobs wait for one destination, those of others are found; a job before its time is not due.
    @Test func destinationsAreAskedForByThemselves() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var event = Fixture.subscription("e1", state: .active)
        event.jobs = (0..<150).map { job(.acknowledge, subject: "token\($0)") }
        event.jobs += [
            job(.forward, subject: "https://b"), job(.forward, subject: "https://a"),
            job(.forward, subject: "https://c"),
        ]
        _ = try ledger.send(event)
        let later = now + .seconds(60)
        for queued in try ledger.jobs(dueAt: later, to: .address("https://c")) {
            try ledger.end(queued, with: .retry(at: later + .seconds(60), reason: "down"))
        }
        #expect(try ledger.destinations(dueAt: now - .seconds(60)).isEmpty)
        let due: [Job.Destination] = [.store(.google), .address("https://a"), .address("https://b")]
        #expect(try ledger.destinations(dueAt: later) == due)
        #expect(try ledger.jobs(dueAt: later, to: .store(.google)).count == 100)
        #expect(try ledger.jobs(dueAt: later, to: .address("https://a")).map(\.job.subject) == ["https://a"])
        #expect(try ledger.jobs(dueAt: later, to: .store(.apple)).isEmpty)
    }

    private func abandoned(in ledger: TemporaryLedger) throws -> [String] {
        let connection = try SQLiteConnection(path: ledger.path, access: .readOnly, lockTimeout: .seconds(1))
        let statement = try connection.prepare("SELECT subject FROM jobs WHERE due_at IS NULL ORDER BY id")
        return try statement.all { row in row.text(0) }
    }

    @Test func marksAreRemembered() throws {
        let first = try TemporaryLedger()
        #expect(try first.checkpoint("recovery.apple") == nil)
        #expect(first.saveCheckpoint("recovery.apple", at: now))
        #expect(first.saveCheckpoint("recovery.apple", at: now + .seconds(1)))
        first.close()
        let second = try TemporaryLedger(at: first.path)
        defer { second.remove() }
        #expect(try second.checkpoint("recovery.apple") == now + .seconds(1))
    }

    /// The store is asked while access goes on; the end that pages show stays the end of the period.
    @Test func accessOutlastsAPeriodWhoseRenewalIsExpected() throws {
        var policy = AccessPolicy(sandboxUsers: .any)
        policy.apis = [.apple]
        policy.leeway = .seconds(300)
        let ledger = try TemporaryLedger(policy: policy)
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        let end = Duration.seconds(86_400)
        for (lineage, state) in [("1", ContractState.active), ("2", .cancelled), ("3", .inGracePeriod)] {
            _ = try ledger.send(
                Fixture.subscription(lineage, state: state, until: end, token: token, key: Fixture.key(lineage))
            )
        }
        _ = try ledger.send(
            Fixture.subscription(
                "4",
                state: .active,
                until: end,
                token: token,
                key: Fixture.key("4", provider: .stripe)
            )
        )
        #expect(try ledger.expiring(at: now + end - .seconds(1)).isEmpty)
        #expect(Set(try ledger.expiring(at: now + end + .seconds(1)).map(\.lineage)) == ["1", "3"])
        #expect(try ledger.expiring(of: .stripe, at: now + end + .seconds(1)).isEmpty)
        ledger.close()
        for (seconds, open) in [(10, ["1", "3", "4"]), (301, [])] {
            let later = try TemporaryLedger(at: ledger.path, now: now + end + .seconds(seconds), policy: policy)
            let held = try later.entitlements("42").contracts
            #expect(held.filter(\.isActive).map(\.contract).sorted() == open)
            #expect(held.allSatisfy { $0.accessUntil == now + end })
            later.close()
        }
        ledger.remove()
    }
}
