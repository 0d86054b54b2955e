import Support

/// Decides which rows of the table are new, and when some may have been missed.
///
/// Solid Cable's own listener asks for ids above the last one. In PostgreSQL that skips rows: an id is taken when a row is
/// inserted, and the row becomes visible when its transaction commits, after rows with higher ids. So ids that are missing
/// are remembered, and asked for until no transaction that could have taken them still runs.
///
/// Pure.
struct SolidCableCursor {
    /// Why rows may have been missed.
    enum Gap: String {
        /// The table is another one, or an older state of it.
        case replaced
        /// Nobody read for a while, and the newest row that was read is no longer there.
        case trimmed
        /// More ids are missing than can be remembered.
        case scattered
    }

    struct Taken: Equatable {
        var rows: [SolidCableRow] = []
        var gap: Gap?
        /// How many rows became visible after newer ones.
        var late = 0
        /// Ask again at once.
        var hasMore = false
    }

    private struct Missing {
        var ids: ClosedRange<Int64>
        /// A transaction that can still add them is older than this one.
        var before: Int64
        var since: MonotonicTime
    }

    /// Ranges of missing ids, at most.
    static let missingLimit = 4096
    /// Solid Cable keeps rows for a day unless it is told otherwise. Whoever was away for less has missed nothing.
    static let away = Duration.seconds(30)
    /// How long a statement may need between taking an id and getting a transaction's number, which PostgreSQL assigns
    /// with the first write.
    static let grace = Duration.seconds(10)

    /// Nil until the newest rows are known.
    private var position: (id: Int64, created: String?)?
    private var missing: [Missing] = []
    private var lastRead: MonotonicTime = 0

    /// Nil to ask for the newest rows. With fewer rows after each of `failures`, so that an answer that takes too long for its deadline gets shorter.
    func ask(failures: Int = 0) -> SolidCableQuestion? {
        guard let position else { return nil }
        let limit = max(1, SolidCableLimits.rows >> min(failures, 16))
        return SolidCableQuestion(after: position.id, missing: missing.map(\.ids), limit: limit)
    }

    /// Everything up to the newest rows counts as read, except what may still appear below it.
    mutating func begin(at head: SolidCablePage, now: MonotonicTime) {
        position = (head.rows.last?.id ?? 0, head.rows.last?.created)
        lastRead = now
        missing = []
        guard let snapshot = head.snapshot else { return }
        for (row, next) in zip(head.rows, head.rows.dropFirst()) {
            miss(between: row.id, and: next.id, in: snapshot, now: now)
        }
    }

    mutating func take(_ page: SolidCablePage, limit: Int = SolidCableLimits.rows, now: MonotonicTime) -> Taken {
        guard let position else { return Taken() }
        if let gap = gap(in: page, after: position, now: now) {
            self.position = nil
            return Taken(gap: gap, hasMore: true)
        }
        lastRead = now
        for row in page.late { found(row.id) }
        // More of what was missing may be there than one answer holds.
        if page.late.count < limit { forgetSettled(in: page, now: now) }
        advance(over: page, now: now)
        let isFull = max(page.rows.count, page.late.count) >= limit
        var taken = Taken(rows: page.late + page.rows, late: page.late.count, hasMore: isFull)
        if missing.count > SolidCableCursor.missingLimit {
            missing.removeFirst(missing.count / 2)
            taken.gap = .scattered
        }
        return taken
    }

    private func gap(in page: SolidCablePage, after position: (id: Int64, created: String?), now: MonotonicTime) -> Gap?
    {
        if let anchor = page.anchor { return anchor == position.created ? nil : .replaced }
        // An emptied table goes on with higher ids, or begins anew: both are read from the beginning.
        if let newest = page.newest, newest < position.id { return .replaced }
        if page.isReplaced { return .replaced }
        return now >= lastRead + SolidCableCursor.away ? .trimmed : nil
    }

    private mutating func advance(over page: SolidCablePage, now: MonotonicTime) {
        guard let position else { return }
        var last = position.id
        for row in page.rows {
            if let snapshot = page.snapshot { miss(between: last, and: row.id, in: snapshot, now: now) }
            last = row.id
        }
        if let row = page.rows.last {
            self.position = (row.id, row.created)
        } else if page.newest == nil {
            // Whatever appears now is above it, also what was missing.
            self.position = (0, nil)
            missing = []
        }
    }

    private mutating func miss(between id: Int64, and next: Int64, in snapshot: SolidCableSnapshot, now: MonotonicTime)
    {
        guard next > id, next - 1 > id else { return }
        missing.append(Missing(ids: id + 1...next - 1, before: snapshot.next, since: now))
    }

    private mutating func found(_ id: Int64) {
        guard let index = missing.firstIndex(where: { $0.ids.contains(id) }) else { return }
        let whole = missing[index]
        var rest: [Missing] = []
        if whole.ids.lowerBound < id {
            rest.append(Missing(ids: whole.ids.lowerBound...id - 1, before: whole.before, since: whole.since))
        }
        if id < whole.ids.upperBound {
            rest.append(Missing(ids: id + 1...whole.ids.upperBound, before: whole.before, since: whole.since))
        }
        missing.replaceSubrange(index...index, with: rest)
    }

    /// An id that is missing although all transactions that could have taken it have ended was rolled back.
    private mutating func forgetSettled(in page: SolidCablePage, now: MonotonicTime) {
        guard let snapshot = page.snapshot else { return }
        missing.removeAll { $0.before <= snapshot.oldestRunning && now >= $0.since + SolidCableCursor.grace }
    }
}
