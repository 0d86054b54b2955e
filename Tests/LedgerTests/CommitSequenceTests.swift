import Domain
import Testing

@testable import Ledger

/// One node's commits and what it reads of the others' come out in one order, each once.
@Suite struct CommitSequenceTests {
    enum Step: Sendable {
        case committed(ClosedRange<Int64>)
        case read(ClosedRange<Int64>)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [Step]
        /// What comes out at each step.
        var out: [[Int64]]
    }

    @Test(arguments: [
        Case(testDescription: "alone", steps: [.committed(1...2), .committed(3...3)], out: [[1, 2], [3]]),
        Case(testDescription: "only others", steps: [.read(1...3), .read(4...4)], out: [[1, 2, 3], [4]]),
        Case(
            testDescription: "another node was first",
            steps: [.committed(3...4), .read(1...2)],
            out: [[], [1, 2, 3, 4]]
        ),
        Case(
            testDescription: "the log has the own ones as well",
            steps: [.committed(2...3), .read(1...3), .committed(4...4)],
            out: [[], [1, 2, 3], [4]]
        ),
        Case(
            testDescription: "the log was faster than the writer",
            steps: [.read(1...3), .committed(2...3), .committed(4...5)],
            out: [[1, 2, 3], [], [4, 5]]
        ),
        Case(
            testDescription: "two gaps",
            steps: [.committed(2...2), .committed(4...4), .read(1...1), .read(2...3)],
            out: [[], [], [1, 2], [3, 4]]
        ),
        Case(testDescription: "nothing new", steps: [.read(1...2), .read(1...2)], out: [[1, 2], []]),
    ]) func ordersEntries(_ given: Case) {
        var sequence = CommitSequence(after: 0)
        let out = given.steps.map { step in
            switch step {
            case .committed(let range): sequence.committed(entries(range))
            case .read(let range): sequence.read(entries(range))
            }
        }
        #expect(out.map { $0.map(\.position) } == given.out)
        #expect(sequence.position == given.out.flatMap(\.self).last)
        #expect(!sequence.hasGap)
    }

    /// Whoever reads nothing for long keeps no more than so many entries.
    @Test func keepsNoMoreThanItsLimit() {
        var sequence = CommitSequence(after: 0)
        _ = sequence.committed(entries(2...10_100))
        #expect(!sequence.hasGap)
        #expect(sequence.read(entries(1...10_101)).count == 10_101)
    }

    private func entries(_ range: ClosedRange<Int64>) -> [Entry] {
        range.map {
            Entry(position: $0, committedAt: Instant(milliseconds: 0), notice: Notice(kind: .broadcast), fragments: [])
        }
    }
}
