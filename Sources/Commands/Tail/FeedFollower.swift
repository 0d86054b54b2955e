import Domain
import Support

/// Decides what `tail` does next: what to print, when to end, and where and when to resume. Pure.
struct FeedFollower {
    enum Action: Equatable {
        case skip
        case print
        /// Print it, and end: the awaited entry has come.
        case printAndFinish
        /// Print it, and end: the limit is reached, and the awaited entry has not come.
        case printAndGiveUp

        /// What the command ends with; nil if it goes on.
        var ending: Result<Int32, CommandFailure>? {
            switch self {
            case .skip, .print: nil
            case .printAndFinish: .success(0)
            case .printAndGiveUp: .failure(CommandFailure("--limit is reached and --until has not matched"))
            }
        }
    }

    let filter: TailFilter
    let until: TailFilter
    let limit: Int?
    let timeout: Duration?
    /// The `since` of the next request; nil follows from now on.
    private(set) var since: String?
    /// The `since` of the last request that was answered.
    private(set) var asked: String?
    private var seen: Cursor?
    private var printed = 0
    private var backoff = Backoff(first: .milliseconds(100), most: .seconds(5))

    init(filter: TailFilter, until: TailFilter, limit: Int?, since: String?, timeout: Duration?) {
        self.filter = filter
        self.until = until
        self.limit = limit
        self.since = since
        self.timeout = timeout
        seen = since.flatMap { Cursor($0) }
    }

    /// Whether an entry, or a number of them, is awaited.
    var waits: Bool { !until.isEmpty || limit != nil }

    /// The query of the next request.
    var query: QueryItems { [("since", since)] + filter.query }

    mutating func received(_ entry: some Followed) -> Action { takes(entry.cursor) ? judge(entry) : .skip }

    /// False for what a server repeats after a reconnect. Nil if the server does not say where it is.
    mutating func takes(_ cursor: Cursor?) -> Bool {
        guard let cursor else { return true }
        if let seen, seen.epoch == cursor.epoch, seen.position >= cursor.position { return false }
        seen = cursor
        since = cursor.description
        return true
    }

    /// Of what is one line.
    mutating func judge(_ entry: some Followed) -> Action {
        guard filter.matches(entry) else { return .skip }
        printed += 1
        if !until.isEmpty && until.matches(entry) { return .printAndFinish }
        guard let limit, printed >= limit else { return .print }
        return until.isEmpty ? .printAndFinish : .printAndGiveUp
    }

    /// The ledger was replaced or restored, so the last position no longer counts. Returns false if the cursor is
    /// unreadable.
    mutating func reset(to id: String) -> Bool {
        guard let cursor = Cursor(id) else { return false }
        seen = cursor
        since = id
        return true
    }

    /// A block that contains only an id, like the one right after connecting, says where to resume.
    mutating func receivedID(_ id: String) {
        guard let cursor = Cursor(id) else { return }
        if let seen, seen.epoch == cursor.epoch, seen.position >= cursor.position { return }
        seen = cursor
        since = id
    }

    mutating func connected(at now: MonotonicTime = monotonicNanoseconds()) {
        asked = since
        backoff.works(at: now)
    }

    /// How long to wait before the next attempt.
    mutating func disconnected(at now: MonotonicTime = monotonicNanoseconds()) -> Duration { backoff.failed(at: now) }
}

/// What `tail` follows: entries of the feed, or messages of a page.
protocol Followed {
    /// Nil if the server does not say it; then a repetition cannot be recognized.
    var cursor: Cursor? { get }
    func has(_ value: String, for field: String) -> Bool
}

extension FeedEntry: Followed {
    /// A type may be written with its subtype: `DID_RENEW/BILLING_RECOVERY`.
    func has(_ value: String, for field: String) -> Bool { self[field] == value || field == "type" && label == value }
}

/// Conditions, all of which an item must meet.
struct TailFilter: Equatable {
    private var conditions: [Condition] = []

    private struct Condition: Equatable {
        var field: String
        /// The entry must have one of these values.
        var values: [String]
    }

    var isEmpty: Bool { conditions.isEmpty }

    /// An empty list adds no condition.
    mutating func require(_ field: String, anyOf values: [String]) {
        if !values.isEmpty { conditions.append(Condition(field: field, values: values)) }
    }

    func matches(_ item: some Followed) -> Bool {
        conditions.allSatisfy { condition in condition.values.contains { item.has($0, for: condition.field) } }
    }

    /// The conditions as a query of `/feed`, so that the server sends less. It supports neither subtypes nor several values.
    var query: QueryItems {
        conditions.filter { $0.values.count == 1 }.map { condition in
            let isType = condition.field == "type"
            return (condition.field, isType ? String(condition.values[0].prefix { $0 != "/" }) : condition.values[0])
        }
    }
}
