import Domain
import Support
import Testing

@testable import Ledger

/// What comes out when, and when the log is read.
@Suite struct LogReadDecisionTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func ownEntriesWaitForNoQuestion() {
        var decision = LogReadDecision(after: 0)
        #expect(decision.due(at: 0) == [.read(after: 0)])
        #expect(decision.committed(entries(1...2)) == entries(1...2))
        // The question hangs, and nothing else is asked.
        #expect(decision.due(at: 0 + 20 * LogReadDecisionTests.second) == [])
        #expect(decision.committed(entries(3...3)) == entries(3...3))
        #expect(decision.read(entries(1...1), hasMore: false, now: 0 + 20 * LogReadDecisionTests.second) == [])
    }

    @Test func ownEntriesWaitForTheEntriesBeforeThem() {
        var decision = idle(after: 0)
        #expect(decision.committed(entries(3...3)) == [])
        #expect(decision.due(at: 1) == [.read(after: 0)])
        #expect(decision.read(entries(1...2), hasMore: false, now: 2) == entries(1...3))
        #expect(decision.due(at: 3) == [])
    }

    @Test func readsOnceASecondAndWhenSomebodySaysSo() {
        var decision = idle(after: 5)
        decision.heard(5)
        #expect(decision.due(at: 1) == [])
        #expect(decision.dueAt == MonotonicTime(nanoseconds: LogReadDecisionTests.second))
        decision.heard(6)
        #expect(decision.dueAt == 0)
        #expect(decision.due(at: 1) == [.read(after: 5)])
        // It may have been committed after the question was answered.
        decision.heard(7)
        #expect(decision.due(at: 2) == [])
        #expect(decision.read(entries(6...6), hasMore: false, now: 3) == entries(6...6))
        #expect(decision.due(at: 4) == [.read(after: 6)])
        #expect(decision.read([], hasMore: false, now: 5) == [])
        #expect(decision.due(at: 0 + LogReadDecisionTests.second) == [])
        #expect(decision.due(at: 0 + LogReadDecisionTests.second + 4) == [.read(after: 6)])
    }

    @Test func aFullPageIsFollowedByTheNext() {
        var decision = LogReadDecision(after: 0)
        _ = decision.due(at: 0)
        #expect(decision.read(entries(1...500), hasMore: true, now: 1) == entries(1...500))
        #expect(decision.due(at: 1) == [.read(after: 500)])
    }

    @Test func afterAFailureItPauses() {
        var decision = LogReadDecision(after: 0)
        _ = decision.due(at: 0)
        #expect(decision.read(nil, hasMore: false, now: 10) == [])
        #expect(decision.due(at: 10) == [])
        #expect(decision.dueAt == MonotonicTime(nanoseconds: 10) + LogReadDecision.pause)
        #expect(decision.due(at: 10 + LogReadDecision.pause) == [.read(after: 0)])
    }

    @Test func aMessageComesAfterWhatItsSenderKnew() {
        var decision = idle(after: 4)
        decision.heard(NodeMessage(body: [1], position: 5), now: 1)
        decision.heard(NodeMessage(body: [2], position: 4), now: 1)
        #expect(decision.due(at: 1) == [.pass([2]), .read(after: 4)])
        #expect(decision.read(entries(5...5), hasMore: false, now: 2) == entries(5...5))
        #expect(decision.due(at: 2) == [.pass([1])])
    }

    @Test func aMessageWaitsASecondAtMost() {
        var decision = idle(after: 4)
        decision.heard(NodeMessage(body: [1], position: .max), now: 1)
        #expect(decision.due(at: 1) == [.read(after: 4)])
        #expect(decision.dueAt == MonotonicTime(nanoseconds: 1) + LogReadDecision.patience)
        #expect(decision.due(at: 0 + LogReadDecision.patience) == [])
        #expect(decision.due(at: 1 + LogReadDecision.patience) == [.pass([1])])
        #expect(decision.dueAt == .max, "the question is not answered")
    }

    @Test func messagesThatWaitAreBounded() {
        var decision = idle(after: 0)
        let body = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<6 { decision.heard(NodeMessage(body: body, position: 9), now: 1) }
        let passed = decision.due(at: 1).count { if case .pass = $0 { true } else { false } }
        #expect(passed == 2)
    }

    /// What was committed here has come out before it is read, and its pages were told.
    @Test func anOwnErasureIsNotReadOnceMore() {
        var erased = Entry(
            position: 1,
            committedAt: Instant(milliseconds: 0),
            notice: Notice(kind: .userErased),
            fragments: []
        )
        var decision = idle(after: 0)
        #expect(decision.read([erased], hasMore: false, now: 1).map(\.isNamelessErasure) == [true])
        decision = idle(after: 0)
        erased.fragments = StreamName("s").map { [Fragment(stream: $0, action: "refresh", content: .none)] } ?? []
        #expect(decision.committed([erased]).map(\.isNamelessErasure) == [false])
        erased.fragments = []
        #expect(decision.read([erased], hasMore: false, now: 1) == [])
    }

    /// The first question is answered.
    private func idle(after position: Int64) -> LogReadDecision {
        var decision = LogReadDecision(after: position)
        _ = decision.due(at: 0)
        _ = decision.read([], hasMore: false, now: 0)
        return decision
    }

    private func entries(_ range: ClosedRange<Int64>) -> [Entry] {
        range.map {
            Entry(position: $0, committedAt: Instant(milliseconds: 0), notice: Notice(kind: .broadcast), fragments: [])
        }
    }
}
