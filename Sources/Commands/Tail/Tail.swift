import Domain
import Glibc
import Stores

/// What `tail` follows: committed events, the audit, or the stream of a page.
protocol TailSubject {
    /// Whether something is awaited, after which it ends.
    var waits: Bool { get }
    /// Returns the exit code. If nothing is awaited, it never returns.
    mutating func run() throws(CommandFailure) -> Int32
}

/// Follows one of them, and prints what comes; `FeedFollower` makes the decisions.
public struct Tail: Command {
    public static let name = "tail"

    private let subject: any TailSubject

    public init(_ arguments: inout Arguments) throws(UsageError) {
        let remote = try RemoteServer(&arguments)
        let printsJSON = try arguments.flag("--json")
        if let audit = try AuditTail(&arguments, remote: remote, printsJSON: printsJSON) {
            subject = audit
        } else if let page = try PageTail(&arguments, remote: remote, printsJSON: printsJSON) {
            subject = page
        } else {
            let line = FeedLine(isColourful: isColourful(environment: processEnvironment()))
            subject = FeedConnection(remote: remote, follower: try Tail.feed(&arguments)) { entry in
                if printsJSON { printJSON(Array(entry.json.utf8)) } else { printAsIs(line.render(entry)) }
            }
        }
    }

    private static func feed(_ arguments: inout Arguments) throws(UsageError) -> FeedFollower {
        var filter = TailFilter()
        let choices = [
            ("provider", Stores.names), ("outcome", Outcome.allCases.map(\.rawValue)),
            ("environment", StoreEnvironment.allCases.map(\.rawValue)),
        ]
        for (field, words) in choices {
            filter.require(field, anyOf: try arguments.choices("--" + field, among: words))
        }
        for field in ["user", "type"] {
            filter.require(field, anyOf: try arguments.options("--" + field))
        }
        let since = try arguments.option("--since").map(Tail.since)
        return try FeedFollower(&arguments, filter: filter, since: since, fields: FeedEntry.fields)
    }

    /// Returns what the server understands: a cursor, `start` or an instant.
    private static func since(_ text: String) throws(UsageError) -> String {
        if text == "start" || Cursor(text) != nil { return text }
        if let instant = timeArgument(text) { return instant.iso8601 }
        throw UsageError(
            "--since must be a cursor such as 3f9a-120, start, 1h, a date, or an instant such as "
                + "2026-01-31T12:00:00Z; not \(quoted(text))"
        )
    }

    public func run() throws(CommandFailure) -> Int32 {
        var subject = subject
        leaveQuietlyWhenInterrupted(awaiting: subject.waits)
        return try subject.run()
    }

    /// Every line is already written, so exiting at once loses nothing. 130 and 143 tell a script that the awaited
    /// entry has not come.
    private func leaveQuietlyWhenInterrupted(awaiting isAwaited: Bool) {
        if isAwaited {
            signal(SIGINT) { _ in _exit(130) }
            signal(SIGTERM) { _ in _exit(143) }
        } else {
            signal(SIGINT) { _ in _exit(0) }
            signal(SIGTERM) { _ in _exit(0) }
        }
    }
}

extension FeedFollower {
    /// Takes `--until`, whose fields are given, `--limit` and `--timeout`.
    init(
        _ arguments: inout Arguments,
        filter: TailFilter,
        since: String?,
        fields: [String]
    ) throws(UsageError) {
        var until = TailFilter()
        for (field, value) in try arguments.pairs("--until") {
            guard fields.contains(field) else {
                throw UsageError("--until has no field \(quoted(field))" + suggestion(for: field, among: fields))
            }
            until.require(field, anyOf: [value])
        }
        let limit = try arguments.number("--limit", in: 1...1_000_000_000)
        let timeout = try arguments.number("--timeout", in: 1...1_000_000_000)
        self.init(filter: filter, until: until, limit: limit, since: since, timeout: timeout.map { .seconds($0) })
    }
}
