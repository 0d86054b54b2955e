import Support

/// When the rows of a list are posted. Pure: whoever asks has the clock.
struct ImportPace: Sendable {
    private let interval: Duration
    private var next: MonotonicTime = 0
    /// Until when a store is left alone.
    private var pauses: [String: MonotonicTime] = [:]

    /// `rate`: rows a second.
    init(rate: Int) {
        interval = .nanoseconds(1_000_000_000 / Int64(rate))
    }

    /// The moment for one more row, which no other row gets. What was not used is not made up for: a store would take it for
    /// a flood.
    mutating func turn(at now: MonotonicTime) -> MonotonicTime {
        let turn = max(next, now)
        next = turn + interval
        return turn
    }

    mutating func pause(_ store: String, until end: MonotonicTime) {
        pauses[store] = max(pauses[store] ?? 0, end)
    }

    /// When the store's pause ends; nil if it has none.
    func pause(of store: String, at now: MonotonicTime) -> MonotonicTime? {
        pauses[store].flatMap { $0 > now ? $0 : nil }
    }
}

/// How often one row is asked about in vain before the list goes on without it.
struct RowPatience: Sendable {
    static let attempts = 3

    private var vain = 0

    /// Counts a silence; true if it was the last one. `othersAreAnswered`: the store has told of another row since this one was
    /// begun. A server or a store that is away for everybody is waited for, however long: no row of it would fare better.
    mutating func isOver(after extent: RowVerdict.Extent, othersAreAnswered: Bool) -> Bool {
        switch extent {
        case .server: return false
        case .store where !othersAreAnswered: return false
        case .store, .row: vain += 1
        }
        return vain >= RowPatience.attempts
    }
}
