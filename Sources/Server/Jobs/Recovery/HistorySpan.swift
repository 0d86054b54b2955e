import Domain

/// Decides which piece of a history to request next. Pure.
///
/// A history is read week by week. A store may refuse dates that its documentation allows. The part of the week that it
/// does return is then found by halving, to within six hours, and the rest is given up. A piece that contains too much
/// is read in two halves.
struct HistorySpan {
    struct Piece: Equatable {
        var start: Instant
        var end: Instant

        var length: Duration { .milliseconds(end.milliseconds &- start.milliseconds) }
        var middle: Instant { start + length / 2 }
    }

    static let week = Duration.seconds(7 * 86_400)
    static let grain = Duration.seconds(6 * 3600)
    static let smallest = Duration.seconds(60)

    /// Nil once everything was requested.
    private(set) var piece: Piece?
    /// The time up to which everything that the store returns was read.
    private(set) var reached: Instant
    /// The span that the store no longer returns; nil if it returns everything.
    private(set) var lost: Piece?
    private let end: Instant
    private var current: Piece
    /// The part that is read before the next decision. `piece` is all of it, or the next half.
    private var part: Piece
    /// The newest start in this week that the store refused.
    private var refused: Instant?

    init(from start: Instant, to end: Instant, reach: Duration) {
        self.end = end
        // The store's clock may differ from ours.
        let first = max(start, end - reach + .seconds(3600))
        reached = first
        part = Piece(start: first, end: first)
        current = part
        if first > start { lost = Piece(start: start, end: first) }
        beginWeek(at: first)
    }

    /// The piece was read to its end.
    mutating func done() {
        guard let piece else { return }
        if piece.end < part.end {
            if refused == nil { reached = piece.end }
            self.piece = Piece(start: piece.end, end: part.end)
        } else if let refused, part.start > refused + HistorySpan.grain {
            begin(Piece(start: Piece(start: refused, end: part.start).middle, end: part.start))
        } else {
            endWeek(readFrom: part.start)
        }
    }

    mutating func isTooFarBack() {
        guard let piece else { return }
        refused = piece.start
        let rest = Piece(start: piece.start, end: part.end)
        if rest.length > HistorySpan.grain {
            begin(Piece(start: rest.middle, end: rest.end))
        } else {
            endWeek(readFrom: rest.end)
        }
    }

    /// Returns false if the piece cannot be made smaller.
    mutating func holdsTooMuch() -> Bool {
        guard let piece, piece.length > HistorySpan.smallest else { return false }
        self.piece = Piece(start: piece.start, end: piece.middle)
        return true
    }

    /// Ends the week: everything that the store returns of it, from `first` on, was read.
    private mutating func endWeek(readFrom first: Instant) {
        if refused != nil { lost = Piece(start: lost?.start ?? current.start, end: first) }
        refused = nil
        reached = current.end
        beginWeek(at: current.end)
    }

    private mutating func beginWeek(at start: Instant) {
        guard start < end else {
            piece = nil
            return
        }
        current = Piece(start: start, end: min(start + HistorySpan.week, end))
        begin(current)
    }

    private mutating func begin(_ part: Piece) {
        self.part = part
        piece = part
    }
}
