internal import Domain

/// Which piece of a history is asked for next. Pure.
///
/// Pieces begin with a week. One that lies too far back for the store is halved, and the earlier half given up, until
/// the store answers: it refuses dates that its documentation allows. One that holds too much is halved as well, and
/// both halves are asked for.
struct HistorySpan {
    struct Piece: Equatable {
        var start: Instant
        var end: Instant

        var middle: Instant {
            start + .milliseconds(Int64(bitPattern: UInt64(bitPattern: end.milliseconds &- start.milliseconds) / 2))
        }
        var length: Duration { .milliseconds(end.milliseconds &- start.milliseconds) }
    }

    static let week = Duration.seconds(7 * 86_400)
    /// A piece that is refused though it is no longer than this is given up whole.
    static let grain = Duration.seconds(6 * 3600)
    static let smallest = Duration.seconds(60)

    /// Nil: everything was asked for.
    private(set) var piece: Piece?
    /// Up to here everything that the store keeps was read.
    private(set) var reached: Instant
    /// What the store does not give any more; nil: nothing.
    private(set) var lost: Piece?
    private let end: Instant

    init(from start: Instant, to end: Instant, reach: Duration) {
        self.end = end
        // The store's clock is not ours.
        let first = max(start, end - reach + .seconds(3600))
        reached = first
        if first > start { lost = Piece(start: start, end: first) }
        piece = HistorySpan.piece(after: first, end)
    }

    /// The piece was read to its end.
    mutating func done() {
        guard let piece else { return }
        reached = piece.end
        self.piece = HistorySpan.piece(after: piece.end, end)
    }

    mutating func isTooFarBack() {
        guard let piece else { return }
        let isGivenUp = piece.length <= HistorySpan.grain
        let next = isGivenUp ? piece.end : piece.middle
        lost = Piece(start: lost?.start ?? piece.start, end: next)
        reached = next
        self.piece = isGivenUp ? HistorySpan.piece(after: next, end) : Piece(start: next, end: piece.end)
    }

    /// False when it cannot be made smaller.
    mutating func holdsTooMuch() -> Bool {
        guard let piece, piece.length > HistorySpan.smallest else { return false }
        self.piece = Piece(start: piece.start, end: piece.middle)
        return true
    }

    private static func piece(after start: Instant, _ end: Instant) -> Piece? {
        start < end ? Piece(start: start, end: min(start + week, end)) : nil
    }
}
