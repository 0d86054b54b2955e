internal import AppleStore
internal import Domain
internal import StoreInterface

/// Reads one history page by page. A server that never comes to an end is left.
struct HistoryReading<Entry> {
    struct Page {
        var entries: [Entry]
        /// Where the next one is; nil: this was the last one.
        var next: String?
    }

    /// How many pages are asked for.
    struct Limits {
        /// Of one piece; with more it is halved.
        var ofAPiece: Int
        /// Of one run. The next run goes on where this one ended.
        var ofARun: Int
    }

    private(set) var span: HistorySpan
    private let limits: Limits
    private let ask: (_ piece: HistorySpan.Piece, _ token: String?, _ now: Instant) throws(StoreAPIError) -> Page
    private var token: String?
    private var seen: Set<String> = []
    private var pages = 0
    private var restarts = 0
    private var progress: Instant?

    init(
        _ span: HistorySpan,
        _ limits: Limits,
        ask: @escaping (HistorySpan.Piece, String?, Instant) throws(StoreAPIError) -> Page
    ) {
        (self.span, self.limits, self.ask) = (span, limits, ask)
    }

    /// What is on the next page, nothing when a smaller piece has to be asked for; nil at the end.
    mutating func next(now: Instant) throws(StoreAPIError) -> [Entry]? {
        guard let piece = span.piece else { return nil }
        pages += 1
        guard pages <= limits.ofARun else {
            throw .unavailable(reason: "the history is too long for one run; the next one goes on")
        }
        do throws(StoreAPIError) {
            return try turn(try ask(piece, token, now))
        } catch {
            try bear(error)
            return []
        }
    }

    /// How far everything is read, when that is farther than it was.
    mutating func takeProgress() -> Instant? {
        defer { progress = nil }
        return progress
    }

    private mutating func turn(_ page: Page) throws(StoreAPIError) -> [Entry] {
        guard let next = page.next else {
            span.done()
            progress = span.reached
            begin()
            return page.entries
        }
        guard seen.insert(next).inserted else { throw .unreadable(reason: "the pages of the history go in a circle") }
        token = next
        if seen.count >= limits.ofAPiece {
            guard span.holdsTooMuch() else { throw .unreadable(reason: "the history of one minute has no end") }
            begin()
        }
        return page.entries
    }

    /// What a smaller piece, or its first page, cures.
    private mutating func bear(_ error: StoreAPIError) throws(StoreAPIError) {
        if error.isTooFarBack {
            span.isTooFarBack()
            progress = span.reached
        } else if error.isExpiredPage, token != nil, restarts < 10 {
            restarts += 1
        } else {
            throw error
        }
        begin()
    }

    private mutating func begin() {
        token = nil
        seen = []
    }
}
