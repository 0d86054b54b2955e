import Support
import TestSupport
import Testing

@testable import Rails

@Suite struct SolidCableCursorTests {
    private func row(_ id: Int64) -> SolidCableRow {
        SolidCableRow(id: id, channel: [], payload: [], created: "at \(id)")
    }

    private func page(
        late: [Int64] = [],
        _ ids: [Int64],
        newest: Int64?,
        anchor: String?,
        snapshot: SolidCableSnapshot? = nil
    ) -> SolidCablePage {
        SolidCablePage(late: late.map(row), rows: ids.map(row), newest: newest, anchor: anchor, snapshot: snapshot)
    }

    private func cursor(at ids: [Int64], snapshot: SolidCableSnapshot? = nil) -> SolidCableCursor {
        var cursor = SolidCableCursor()
        cursor.begin(
            at: SolidCablePage(rows: ids.map(row), snapshot: snapshot),
            now: .zero
        )
        return cursor
    }

    private func running(_ oldest: Int64, next: Int64) -> SolidCableSnapshot {
        SolidCableSnapshot(oldestRunning: oldest, next: next)
    }

    @Test func newCursorAsksForTheHead() {
        #expect(SolidCableCursor().ask() == nil)
        #expect(cursor(at: []).ask() == SolidCableQuestion(after: 0, missing: []))
        #expect(cursor(at: [7]).ask() == SolidCableQuestion(after: 7, missing: []))
    }

    @Test func rowsAreTakenOnceAndInOrder() {
        var cursor = cursor(at: [7])
        let taken = cursor.take(page([8, 12], newest: 12, anchor: "at 7"), now: .zero)
        #expect(taken == SolidCableCursor.Taken(rows: [row(8), row(12)]))
        #expect(
            cursor.ask() == SolidCableQuestion(after: 12, missing: []),
            "SQLite has one writer: nothing is late"
        )
    }

    /// Transaction 50 took id 8 and has not committed yet.
    @Test func missingIdIsAskedForUntilItsTransactionHasEnded() {
        var cursor = cursor(at: [7], snapshot: running(50, next: 50))
        _ = cursor.take(page([9], newest: 9, anchor: "at 7", snapshot: running(50, next: 52)), now: .seconds(1))
        #expect(cursor.ask() == SolidCableQuestion(after: 9, missing: [8...8]))
        _ = cursor.take(page([], newest: 9, anchor: "at 9", snapshot: running(50, next: 90)), now: .seconds(900))
        #expect(cursor.ask() == SolidCableQuestion(after: 9, missing: [8...8]), "it still runs")
        let page = page(late: [8], [], newest: 9, anchor: "at 9", snapshot: running(95, next: 95))
        let taken = cursor.take(page, now: .seconds(901))
        #expect(taken == SolidCableCursor.Taken(rows: [row(8)], late: 1))
        #expect(cursor.ask() == SolidCableQuestion(after: 9, missing: []))
    }

    @Test func rolledBackIdIsForgottenWhenNoTransactionCanStillAddIt() {
        var cursor = cursor(at: [7], snapshot: running(50, next: 50))
        _ = cursor.take(page([9], newest: 9, anchor: "at 7", snapshot: running(50, next: 52)), now: .zero)
        let ended = page([], newest: 9, anchor: "at 9", snapshot: running(52, next: 52))
        _ = cursor.take(ended, now: .seconds(9))
        #expect(cursor.ask() == SolidCableQuestion(after: 9, missing: [8...8]), "it may not have a number yet")
        _ = cursor.take(ended, now: .seconds(10))
        #expect(cursor.ask() == SolidCableQuestion(after: 9, missing: []))
    }

    @Test func lateIdsSplitARange() {
        var cursor = cursor(at: [10, 20], snapshot: running(5, next: 9))
        #expect(cursor.ask() == SolidCableQuestion(after: 20, missing: [11...19]), "also from before the start")
        let busy = running(5, next: 9)
        _ = cursor.take(page(late: [11, 15, 19], [], newest: 20, anchor: "at 20", snapshot: busy), now: .zero)
        #expect(cursor.ask() == SolidCableQuestion(after: 20, missing: [12...14, 16...18]))
    }

    @Test func tooManyMissingIdsAreAGap() {
        var cursor = cursor(at: [0], snapshot: running(5, next: 9))
        var gaps = 0
        for number in 1...5000 as ClosedRange<Int64> {
            let (last, next) = (2 * (number - 1), 2 * number)
            let page = page([next], newest: next, anchor: "at \(last)", snapshot: running(5, next: 9))
            let taken = cursor.take(page, now: .zero)
            #expect(taken.rows.count == 1)
            if taken.gap == .scattered { gaps += 1 }
        }
        #expect(gaps == 1)
    }

    struct Sight: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var page: SolidCablePage
        var after: MonotonicTime = .seconds(1)
        var gap: SolidCableCursor.Gap?
    }

    @Test(arguments: [
        Sight(testDescription: "nothing new", page: SolidCablePage(newest: 7, anchor: "at 7")),
        Sight(
            testDescription: "the same an hour later",
            page: SolidCablePage(newest: 7, anchor: "at 7"),
            after: .seconds(3600)
        ),
        Sight(testDescription: "trimmed to nothing while we read", page: SolidCablePage()),
        Sight(
            testDescription: "trimmed meanwhile",
            page: SolidCablePage(newest: 90),
            after: .seconds(30),
            gap: .trimmed
        ),
        Sight(testDescription: "all trimmed meanwhile", page: SolidCablePage(), after: .seconds(30), gap: .trimmed),
        Sight(
            testDescription: "another row has the id",
            page: SolidCablePage(newest: 9, anchor: "at 1"),
            gap: .replaced
        ),
        Sight(testDescription: "ids that begin anew", page: SolidCablePage(newest: 3), gap: .replaced),
        Sight(testDescription: "another file", page: SolidCablePage(newest: 90, isReplaced: true), gap: .replaced),
        Sight(
            testDescription: "a copy in its place",
            page: SolidCablePage(newest: 7, anchor: "at 7", isReplaced: true)
        ),
    ]) func gapsAreNoticed(_ given: Sight) {
        var cursor = cursor(at: [7])
        let taken = cursor.take(given.page, now: given.after)
        #expect(taken.gap == given.gap)
        #expect((cursor.ask() == nil) == (given.gap != nil))
    }

    @Test func emptiedTableIsReadFromItsBeginning() {
        var cursor = cursor(at: [5, 7], snapshot: running(5, next: 9))
        _ = cursor.take(SolidCablePage(snapshot: running(5, next: 9)), now: .zero)
        #expect(cursor.ask() == SolidCableQuestion(after: 0, missing: []))
    }

    @Test func answersThatDoNotComeGetShorter() {
        let cursor = cursor(at: [7])
        let limits = [0, 1, 6, 7, 1 << 40].map { failures in
            cursor.ask(failures: failures)?.limit ?? 0
        }
        #expect(limits == [100, 50, 1, 1, 1])
    }

    @Test func fullAnswerIsFollowedByAnother() {
        var cursor = cursor(at: [7])
        let taken = cursor.take(page([8, 9], newest: 90, anchor: "at 7"), limit: 2, now: .zero)
        #expect(taken.hasMore)
    }

    @Test func extremesDoNotTrap() {
        var cursor = cursor(at: [.min], snapshot: running(0, next: 0))
        let ids: [Int64] = [.min + 2, 0, .max]
        let page = page(ids, newest: .max, anchor: "at \(Int64.min)", snapshot: running(.max, next: .min))
        let taken = cursor.take(page, now: .zero)
        #expect(taken.rows.count == 3)
        let rest: [ClosedRange<Int64>] = [.min + 1 ... .min + 1, .min + 3 ... -1, 1 ... .max - 1]
        #expect(cursor.ask() == SolidCableQuestion(after: .max, missing: rest))
    }
}
