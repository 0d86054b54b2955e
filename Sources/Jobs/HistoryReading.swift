internal import AppleStore
internal import Domain
internal import StoreInterface

/// Reads one history page by page. Gives up on a server whose pages never end.
struct HistoryReading<Entry> {
    struct Page {
        var entries: [Entry]
        /// The token of the next page; nil for the last page.
        var next: String?
    }

    /// How many pages may be requested.
    struct Limits {
        /// For one piece; a piece with more pages is halved.
        var ofAPiece: Int
        /// For one run. The next run goes on where this one ended.
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
        limits: Limits,
        ask: @escaping (HistorySpan.Piece, String?, Instant) throws(StoreAPIError) -> Page
    ) {
        self.span = span
        self.limits = limits
        self.ask = ask
    }

    /// The entries of the next page. Empty when the request failed in a way that another one cures; nil at the end.
    mutating func next(now: Instant) throws(StoreAPIError) -> [Entry]? {
        guard let piece = span.piece else { return nil }
        pages += 1
        guard pages <= limits.ofARun else {
            throw .unavailable(reason: "the history is too long for one run; the next one goes on")
        }
        do throws(StoreAPIError) {
            return try turn(try ask(piece, token, now))
        } catch {
            try recover(from: error)
            return []
        }
    }

    /// How far everything was read; nil when that has not advanced since the last call.
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
        guard seen.insert(next).inserted else { throw .unreadable(reason: "the pages of the history repeat") }
        token = next
        if seen.count >= limits.ofAPiece {
            guard span.holdsTooMuch() else { throw .unreadable(reason: "the history of one minute has no end") }
            begin()
        }
        return page.entries
    }

    /// Handles an error that a smaller piece, or a new start at the piece's first page, cures; throws every other.
    private mutating func recover(from error: StoreAPIError) throws(StoreAPIError) {
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
