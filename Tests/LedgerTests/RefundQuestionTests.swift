import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// What a store asks about a refund: it waits for somebody, and becomes the job of telling the store.
@Suite(.blocking) struct RefundQuestionTests {
    private let now = TemporaryLedger.start
    private let deadline = TemporaryLedger.start + .seconds(43_200)

    private func question(_ id: String, minute: Int64 = 0, detail: String = "a") -> Event {
        var event = Fixture.subscription(id, state: .active, minute: minute)
        var job = Job(
            kind: .refundRequest,
            provider: .apple,
            environment: .production,
            app: "com.example",
            subject: "t1"
        )
        (job.detail, job.deadline) = (detail, deadline)
        event.jobs = [job]
        return event
    }

    private func answer(_ text: String, in ledger: TemporaryLedger) throws -> RefundAnswered {
        let answered = Promise<Result<RefundAnswered, LedgerError>>()
        #expect(ledger.writer.submit(.answerRefund(of: "t1", at: .apple, text) { answered.fulfil($0) }))
        return try answered.wait().get()
    }

    /// The question, if it can be answered.
    private func asked(in ledger: TemporaryLedger) throws -> RefundQuestion? {
        try ledger.reader.answer { try $0.openRefundQuestion(about: "t1", at: .apple) }
    }

    private func decision(_ kind: EventKind, minute: Int64) -> Event {
        var event = Fixture.subscription("d\(minute)", state: .active, minute: minute)
        event.kind = kind
        event.observation?.transaction = Transaction(
            id: "t1",
            product: "monthly",
            purchasedAt: Fixture.now,
            signedAt: event.signedAt
        )
        return event
    }

    @Test func isAskedOnceAndAnsweredOnce() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(question("e1"), claim: Claim(user: "42"))
        _ = try ledger.send(question("e2", minute: 1, detail: "another reason"))
        let open = try ledger.attention().refunds
        #expect(open.map(\.job.detail) == ["a"] && open.first?.user == "42" && open.first?.event == "e1")
        // It is no job that waits, and none that an operator is woken for.
        #expect(try ledger.jobs(dueAt: now + .seconds(3600)).isEmpty && ledger.attention().jobs.isEmpty)
        let backlog = try ledger.backlog()
        #expect(backlog.waiting == 0 && backlog.nearestDeadline == nil)
        #expect(try answer("yes", in: ledger) == .queued)
        #expect(try answer("yes", in: ledger) == .repeated(.waiting))
        #expect(try answer("no", in: ledger) == .otherwise)
        _ = try ledger.send(question("e3", minute: 2))
        #expect(try ledger.attention().refunds.isEmpty)
        let due = try ledger.jobs(dueAt: now + .seconds(3600))
        #expect(due.map(\.job.kind) == [.consumption] && due.first?.job.detail == "yes")
        try ledger.end(try #require(due.first), with: .doneAndKept)
        #expect(try answer("yes", in: ledger) == .repeated(.sent))
        #expect(try ledger.jobs(dueAt: deadline).isEmpty && ledger.attention().jobs.isEmpty)
    }

    /// What the store refuses may be answered otherwise, while it still reads.
    @Test func isAnsweredAgainAfterARefusal() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(question("e1"))
        #expect(try answer("yes", in: ledger) == .queued)
        try ledger.end(try #require(ledger.jobs(dueAt: now + .seconds(60)).first), with: .abandoned(reason: "refused"))
        #expect(try ledger.attention().jobs.map(\.reason) == ["refused"])
        #expect(try ledger.attention().refunds.map(\.refusal) == ["refused"])
        #expect(try asked(in: ledger)?.refusal == "refused")
        #expect(try answer("no", in: ledger) == .queued)
        #expect(try ledger.attention().refunds.isEmpty && asked(in: ledger) == nil)
        #expect(try ledger.jobs(dueAt: now + .seconds(60)).map(\.job.detail) == ["no"])
        try ledger.end(try #require(ledger.jobs(dueAt: now + .seconds(60)).first), with: .abandoned(reason: "refused"))
        #expect(try ledger.attention().refunds.count == 1)
        try ledger.setClock(to: deadline)
        #expect(try ledger.attention().refunds.isEmpty && asked(in: ledger) == nil)
        #expect(try answer("yes", in: ledger) == .notAsked)
    }

    struct Decided: CustomTestStringConvertible {
        var testDescription: String
        var kind = EventKind.refundDeclined
        /// The question was signed in the fifth.
        var minute: Int64
        var isAnswered = false
        var isEnded: Bool
    }

    /// A decision ends what was asked before it; one that comes late is none about a newer question.
    @Test(arguments: [
        Decided(testDescription: "declined", minute: 6, isEnded: true),
        Decided(testDescription: "given back", kind: .refundCompleted, minute: 6, isEnded: true),
        Decided(testDescription: "before the answer went", minute: 6, isAnswered: true, isEnded: true),
        Decided(testDescription: "declined before it was asked", minute: 4, isEnded: false),
        Decided(testDescription: "declined before, and answered since", minute: 4, isAnswered: true, isEnded: false),
    ]) func decisionEndsWhatWasAskedBefore(_ given: Decided) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(question("e1", minute: 5))
        if given.isAnswered { #expect(try answer("yes", in: ledger) == .queued) }
        _ = try ledger.send(decision(given.kind, minute: given.minute))
        let left = try ledger.attention().refunds.count + ledger.jobs(dueAt: now + .seconds(3600)).count
        #expect(left == (given.isEnded ? 0 : 1))
    }

    /// What the store asks after it has decided is another question, whose answer may be the same.
    @Test func isAskedAgainAfterADecision() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(question("e1"))
        #expect(try answer("yes", in: ledger) == .queued)
        try ledger.end(try #require(ledger.jobs(dueAt: now + .seconds(60)).first), with: .doneAndKept)
        _ = try ledger.send(decision(.refundDeclined, minute: 1))
        _ = try ledger.send(question("e2", minute: 2))
        #expect(try ledger.attention().refunds.map(\.event) == ["e2"])
        #expect(try answer("yes", in: ledger) == .queued)
    }

    /// Asked again after the first answer, the same may be answered.
    @Test func isAskedAgainAfterItsTime() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(question("e1"))
        #expect(try answer("yes", in: ledger) == .queued)
        try ledger.end(try #require(ledger.jobs(dueAt: now + .seconds(60)).first), with: .doneAndKept)
        try ledger.setClock(to: deadline + .seconds(1))
        var again = question("e2", minute: 1)
        again.jobs[0].deadline = deadline + .seconds(43_200)
        _ = try ledger.send(again)
        #expect(try ledger.attention().refunds.map(\.event) == ["e2"])
        #expect(try answer("yes", in: ledger) == .queued)
    }
}
