internal import Domain
internal import Glibc

/// Follows committed events; the following itself is `FeedFollower`'s.
struct Tail: Command {
    static let name = "tail"

    private let remote: Remote
    private let follower: FeedFollower
    private let printsJSON: Bool
    private let waits: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try Remote(&arguments)
        printsJSON = try arguments.flag("--json")
        var filter = FeedFilter()
        let choices = [
            ("provider", Provider.allCases.map(\.rawValue)), ("outcome", Outcome.allCases.map(\.rawValue)),
            ("environment", StoreEnvironment.allCases.map(\.rawValue)),
        ]
        for (field, words) in choices {
            if let value = try arguments.choice("--" + field, among: words) { filter.require(field, value) }
        }
        for field in ["user", "type"] {
            if let value = try arguments.option("--" + field) { filter.require(field, value) }
        }
        var until = FeedFilter()
        for (field, value) in try arguments.pairs("--until") {
            guard FeedEntry.fields.contains(field) else {
                throw UsageError("--until knows no \(quoted(field))" + suggestion(for: field, among: FeedEntry.fields))
            }
            until.require(field, value)
        }
        let since = try arguments.option("--since")
        if let since, since != "start", Cursor(since) == nil {
            throw UsageError("--since is a cursor such as 3f9a-120, or start; not \(quoted(since))")
        }
        let limit = try arguments.number("--limit", in: 1...1_000_000_000)
        let timeout = try arguments.number("--timeout", in: 1...1_000_000_000)
        waits = !until.isEmpty || limit != nil
        follower = FeedFollower(
            filter: filter,
            until: until,
            limit: limit,
            since: since,
            timeout: timeout.map { .seconds($0) }
        )
    }

    func run() throws(CommandFailure) -> Int32 {
        leaveQuietlyWhenInterrupted()
        let line = FeedLine(isColourful: isColourful(environment: processEnvironment()))
        var connection = FeedConnection(remote: remote, follower: follower) { [printsJSON] entry in
            printText(printsJSON ? entry.json : line.render(entry))
        }
        return try connection.run()
    }

    /// Every line is already written, so leaving at once loses nothing. 130 and 143 tell a script that what it waits
    /// for has not come.
    private func leaveQuietlyWhenInterrupted() {
        if waits {
            signal(SIGINT) { _ in _exit(130) }
            signal(SIGTERM) { _ in _exit(143) }
        } else {
            signal(SIGINT) { _ in _exit(0) }
            signal(SIGTERM) { _ in _exit(0) }
        }
    }
}
