internal import Domain
internal import Stores

/// Reads one history page by page. A server that never comes to an end is left.
struct HistoryReading {
    /// Of one piece; with more it is halved.
    static let pagesOfAPiece = 500
    /// Of one run: 400,000 notifications. The next run goes on where this one ended.
    static let pagesOfARun = 20_000

    let place: Recovery.Place
    private(set) var span: HistorySpan
    private let api: AppleServerAPI
    private let onlyFailures: Bool
    private var token: String?
    private var seen: Set<String> = []
    private var pages = 0
    private var restarts = 0
    private var progress: Instant?

    init(api: AppleServerAPI, place: Recovery.Place, span: HistorySpan, onlyFailures: Bool) {
        (self.api, self.place, self.span, self.onlyFailures) = (api, place, span, onlyFailures)
    }

    /// The bodies of the next page, none when a smaller piece has to be asked for; nil at the end.
    mutating func next(now: Instant) throws(StoreAPIError) -> [[UInt8]]? {
        guard let piece = span.piece else { return nil }
        pages += 1
        guard pages <= HistoryReading.pagesOfARun else {
            throw .unavailable(reason: "the history is too long for one run; the next one goes on")
        }
        let query = AppleNotificationQuery(start: piece.start, end: piece.end, onlyFailures: onlyFailures)
        do throws(StoreAPIError) {
            return try turn(try api.notificationHistory(query, after: token, in: place.environment, now: now))
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

    private mutating func turn(_ page: AppleNotificationPage) throws(StoreAPIError) -> [[UInt8]] {
        guard let next = page.next else {
            span.done()
            progress = span.reached
            begin()
            return page.bodies
        }
        guard seen.insert(next).inserted else { throw .unreadable(reason: "the pages of the history go in a circle") }
        token = next
        if seen.count >= HistoryReading.pagesOfAPiece {
            guard span.holdsTooMuch() else { throw .unreadable(reason: "the history of one minute has no end") }
            begin()
        }
        return page.bodies
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
