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
    public static let summary = "follow committed events and the fragments they caused"
    public static let help = """
        Follow committed events and the fragments they caused.

        Usage: paycast tail [OPTIONS]
               paycast tail --audit [OPTIONS]
               paycast tail --stream NAME|--user USER --page|--name SIGNED [OPTIONS]

        Prints one line per event, and continues after the last one when the connection
        or the server comes back. Messages about the connection go to stderr.

        With --stream, --page or --name it follows one stream as an open page does, and
        prints what arrives: time, cursor, action, target, size and the first words.

        Options:
          --json                one line of JSON per event, as the server sent it
          --user USER           only events of this user; this option and the next four
                                may be repeated to match any of several values
          --provider NAME       only of this store: apple, google, stripe …
          --type TYPE           only of this type, or TYPE/SUBTYPE
          --outcome WORD        only with this outcome: applied, duplicate, stale,
                                ignored, unclaimed, quarantined
          --environment WORD    only of Production, of Sandbox or of Xcode
          --since WHEN          begin after this cursor, 1h ago, at an instant or a
                                date, or at the “start”; without it, begin now
          --until KEY=VALUE     exit 0 after the first event shown that has this
                                value; if repeated, all of them must match
          --limit NUMBER        exit 0 after this many events; 1 when --until is given
                                and no event matched
          --timeout SECONDS     exit 1 if it has not finished by then

        With --audit it follows who did what to users: grants, erasures, replays … It
        takes --user, --since (an entry's id too), --limit, --timeout and --json, and:
          --audit               who did what to users, instead of events
          --actor NAME          only what this key did, or “cli”

        A page's stream takes --since (a cursor, or “start”), --until and --limit (of
        the lines that are printed), --timeout and --json as well, and:
          --stream NAME         this stream; the name is signed with the server's key,
                                from PAYCAST_STREAM_KEYS, SECRET_KEY_BASE or .paycast/
          --page                the stream of the page of --user, as the server signs it
          --name SIGNED         a signed name, as a page has it in its source; needs no
                                key
          --over KIND           websocket (default), cable (any Action Cable server) or
                                sse
          --url URL             connect where pages do: wss://pay.example.com
          --ca FILE             trust only this authority (PEM)
          --html                the whole fragment after each line
        \(RemoteServer.optionsHelp)

        Example: paycast tail --user 42 --until type=EXPIRED --timeout 60
                 paycast tail --user 42 --page --url wss://pay.example.com
        """

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
