import Domain
import TestSupport
import Testing

@testable import Server

@Suite(.blocking) struct HistorySpanTests {
    private let now = Instant(milliseconds: 1_767_225_600_000)
    private let day = Duration.seconds(86_400)

    private func span(days: Int, reach: Int = 180) -> HistorySpan {
        HistorySpan(from: now - day * days, to: now, reach: day * reach)
    }

    struct Length: Sendable {
        var days: Int
        var pieces: Int
    }

    @Test(arguments: [
        Length(days: 0, pieces: 0), Length(days: 1, pieces: 1), Length(days: 7, pieces: 1), Length(days: 8, pieces: 2),
        Length(days: 170, pieces: 25), Length(days: 100_000, pieces: 26), Length(days: -3, pieces: 0),
    ]) func goesByWeeks(_ length: Length) {
        var span = span(days: length.days)
        var (pieces, end) = (0, span.piece?.start ?? now)
        while let piece = span.piece {
            #expect(piece.start == end)
            #expect(piece.length <= HistorySpan.week)
            end = piece.end
            span.done()
            #expect(span.reached == end)
            pieces += 1
        }
        #expect(pieces == length.pieces)
        #expect(end == now)
    }

    /// A store that keeps less than it says: everything that it does give is asked for, to six hours.
    @Test(arguments: [1, 5, 29, 90, 169]) func shrinksToWhatTheStoreKeeps(_ kept: Int) throws {
        var span = span(days: 170)
        let first = now - day * kept
        var (asked, read) = (0, [HistorySpan.Piece]())
        while let piece = span.piece {
            asked += 1
            if piece.start < first {
                span.isTooFarBack()
            } else {
                read.append(piece)
                span.done()
            }
        }
        let ordered = read.sorted { $0.start < $1.start }
        let start = try #require(ordered.first).start
        #expect(start >= first && start <= first + HistorySpan.grain)
        #expect(ordered.last?.end == now)
        #expect(span.lost == HistorySpan.Piece(start: now - day * 170, end: start))
        #expect(span.reached == now)
        #expect(asked < 170)
        for (left, right) in zip(ordered, ordered.dropFirst()) { #expect(left.end == right.start) }
    }

    @Test func storeThatRefusesEverythingIsLeft() {
        var span = span(days: 180)
        var asked = 0
        while span.piece != nil {
            span.isTooFarBack()
            asked += 1
        }
        #expect(span.lost?.end == now)
        #expect(span.reached == now)
        #expect(asked < 200)
    }

    @Test func fullPieceIsHalvedAndBothHalvesAreRead() {
        var span = span(days: 7)
        let isHalved = span.holdsTooMuch()
        #expect(isHalved)
        #expect(span.piece?.length == HistorySpan.week / 2)
        span.done()
        #expect(span.piece?.end == now)
        var halvings = 0
        while span.holdsTooMuch() { halvings += 1 }
        #expect(halvings < 20)
    }

    struct Start: Sendable {
        var mark: Int64?
        var expected: Int64
    }

    @Test(arguments: [
        Start(mark: nil, expected: -86_400), Start(mark: 0, expected: -7200), Start(mark: -3600, expected: -10_800),
        Start(mark: 90_000, expected: -7200),
    ]) func startsBeforeTheLastTime(_ start: Start) {
        let mark = start.mark.map { now + .seconds($0) }
        #expect(RecoverySchedule.start(mark: mark, now: now) == now + .seconds(start.expected))
    }

    @Test func hourlyAndSoonerAfterFailures() {
        var schedule = RecoverySchedule()
        var pauses: [Duration] = []
        for isFailure in [true, true, false, true] {
            pauses.append(schedule.pause(afterFailure: isFailure, jitter: 1))
        }
        #expect(pauses == [.seconds(30), .seconds(60), .seconds(3600), .seconds(30)])
    }

    /// A ledger that came back from a backup lacks what the store had delivered.
    @Test func asksForAllUntilItSucceeds() {
        var schedule = RecoverySchedule()
        var asked = [schedule.onlyFailures]
        for isFailure in [true, false, true] {
            _ = schedule.pause(afterFailure: isFailure, jitter: 1)
            asked.append(schedule.onlyFailures)
        }
        #expect(asked == [false, false, true, false])
    }
}
