import Domain
import Stores
import Support

/// Reads one list of a store's history page by page. Gives up on a server whose pages never end.
struct HistoryReading {
    private let list: HistoryList
    private(set) var span: HistorySpan
    private let end: Instant
    private let onlyFailures: Bool
    private var token: String?
    private var seen: Set<String> = []
    private var pages = 0
    private var restarts = 0
    private var progress: Instant?

    /// `end` is the present.
    init(_ list: HistoryList, from start: Instant, to end: Instant, onlyFailures: Bool) {
        self.list = list
        span = HistorySpan(from: start, to: end, reach: list.reach)
        self.end = end
        self.onlyFailures = onlyFailures
    }

    /// The entries of the next page. Empty if the request failed in a way that another request can cure; nil at the
    /// end.
    mutating func next(now: Instant) throws(StoreAPIError) -> [HistoryEntry]? {
        guard let piece = span.piece else { return nil }
        pages += 1
        guard pages <= list.pagesOfARun else {
            throw .unavailable(reason: "the history is too long for one run; the next one goes on")
        }
        var query = HistoryQuery(start: piece.start, end: piece.end)
        query.isNewest = piece.end >= end
        query.onlyFailures = onlyFailures
        query.token = token
        do throws(StoreAPIError) {
            return try turn(try list.page(query, now))
        } catch {
            try recover(from: error)
            return []
        }
    }

    /// The time up to which everything was read; nil if it has not advanced since the last call.
    mutating func takeProgress() -> Instant? {
        defer { progress = nil }
        return progress
    }

    private mutating func turn(_ page: HistoryPage) throws(StoreAPIError) -> [HistoryEntry] {
        guard let next = page.next else {
            span.done()
            progress = span.reached
            begin()
            return page.entries
        }
        guard seen.insert(next).inserted else { throw .unreadable(reason: "the pages of the history repeat") }
        token = next
        if seen.count >= list.pagesOfAPiece {
            guard span.holdsTooMuch() else { throw .unreadable(reason: "the history of one minute has no end") }
            begin()
        }
        return page.entries
    }

    /// Handles an error that a smaller piece, or starting the piece again at its first page, can cure; throws every
    /// other.
    private mutating func recover(from error: StoreAPIError) throws(StoreAPIError) {
        switch list.remedy(error) {
        case .laterPiece:
            span.isTooFarBack()
            progress = span.reached
        case .firstPage where token != nil && restarts < 10: restarts += 1
        case .firstPage, nil: throw error
        }
        begin()
    }

    private mutating func begin() {
        token = nil
        seen = []
    }
}

/// Decides what happens to the entries of a list that are refused or cannot be read, and judges this server's settings by
/// them. Pure.
///
/// One genuine entry shows that the settings are right, and that the entries refused beside it are odd. Settings that
/// refuse every entry are wrong. The checkpoint then stays where it is, so that entries that prove genuine under the
/// right settings are not skipped.
struct HistoryBatch {
    /// If this many in a row cannot be read, the cause is the store, not the entry.
    static let unreadPatience = 3
    /// This many refusals without a genuine entry are enough. The rest is read once the settings are right; until then
    /// an hourly run costs only 50 pages, however long the history is.
    static let refusedPatience = 1000

    /// The reason why the run has to be repeated.
    private(set) var failure: StoreAPIError?
    /// The number of refused entries, by the error's code.
    private(set) var refusals: [String: Int] = [:]
    /// The number of refusals that other settings could cure.
    private(set) var misconfigured = 0
    private var firstHint: String?
    private var isProven = false
    private var unreadInARow = 0

    /// For an operator; nil if nothing is known to be wrong with the settings.
    var problem: String? { isProven ? nil : firstHint }

    var isHopeless: Bool { problem != nil && misconfigured >= HistoryBatch.refusedPatience }

    /// True if everything was read, as far as the settings are concerned: the checkpoint may then follow.
    var isSound: Bool { failure == nil && problem == nil }

    mutating func read() {
        isProven = true
        unreadInARow = 0
    }

    /// Returns true for an entry that is refused, or can never be read, which is skipped. An entry that may be readable
    /// later does not hold up others, but the next run begins before it. Throws if no entry can be read. `hint` says what to
    /// do about the error; nil if no setting cures it.
    mutating func failed(_ error: HistoryError, hint: String?) throws(StoreAPIError) -> Bool {
        switch error {
        case .refused(let error):
            refusals[error.code, default: 0] += 1
            if let hint {
                misconfigured += 1
                firstHint = firstHint ?? hint
            }
            return true
        case .unread(let error):
            guard error.concernsTheWholeStore else { return true }
            failure = failure ?? error
            unreadInARow += 1
            if case .unauthorized = error { throw error }
            guard unreadInARow < HistoryBatch.unreadPatience else { throw error }
            return false
        }
    }
}

/// The problem with one list. Pure.
struct HistoryTrouble {
    private var incident = Incident()
    /// The operator's next step before the list can be requested.
    private var refusal: String?
    /// The operator's next step before its entries are accepted.
    var misconfiguration: String?

    /// `error` is nil after a success, and `hint` says what to do about it.
    mutating func take(_ error: StoreAPIError?, hint: String?, now: MonotonicTime) -> Incident.News? {
        guard let error else {
            refusal = nil
            return incident.recordSuccess(now: now)
        }
        if let hint { refusal = hint }
        return incident.recordFailure(error.description, now: now)
    }

    /// For `/ready`.
    var problems: [String] { [misconfiguration, refusal].compactMap(\.self) }
}
