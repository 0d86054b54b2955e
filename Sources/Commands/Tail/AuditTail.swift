import API
import APIModel
import Domain
import Glibc
import HTTPClient

/// `tail --audit`: follows who did what to users. The server is asked once a second: people act seldom.
struct AuditTail: TailSubject {
    private static let pause = Duration.seconds(1)

    private let remote: RemoteServer
    private let filter: QueryItems
    private let limit: Int?
    private let printsJSON: Bool
    private let waiting: Waiting
    /// Where the next question begins; nil before the newest entry is known.
    private var since: String?
    private var printed = 0
    private var hasConnected = false
    /// By an answer that stays the same when it is asked for again, as that to a key which was taken away.
    private var isRefused = false

    /// Nil when the arguments ask for something else.
    init?(_ arguments: inout Arguments, remote: RemoteServer, printsJSON: Bool) throws(UsageError) {
        let actor = try arguments.option("--actor")
        guard try arguments.flag("--audit") else {
            if actor != nil { throw UsageError("--actor needs --audit") }
            return nil
        }
        filter = [("user", try arguments.option("--user")), ("actor", actor)]
        since = try arguments.option("--since").map(AuditTail.since)
        limit = try arguments.number("--limit", in: 1...1_000_000_000)
        let timeout = try arguments.number("--timeout", in: 1...1_000_000_000)
        self.remote = remote
        self.printsJSON = printsJSON
        waiting = Waiting(timeout: timeout.map { .seconds($0) }, isAwaited: limit != nil)
    }

    /// Returns what the server understands: an entry's id or an instant.
    private static func since(_ text: String) throws(UsageError) -> String {
        if text == "start" { return "0" }
        if !text.isEmpty, text.utf8.count < 19, text.utf8.allSatisfy({ (48...57).contains($0) }) { return text }
        if let instant = timeArgument(text) { return instant.iso8601 }
        throw UsageError(
            "of the audit, --since must be an entry's id, start, 1h, a date, or an instant such as "
                + "2026-01-31T12:00:00Z; not \(quoted(text))"
        )
    }

    var waits: Bool { limit != nil }

    mutating func run() throws(CommandFailure) -> Int32 {
        while true {
            do throws(CommandFailure) {
                let news = try news()
                hasConnected = true
                for entry in news {
                    show(entry)
                    printed += 1
                    if let limit, printed >= limit { return EXIT_SUCCESS }
                }
            } catch {
                guard hasConnected, !isRefused else { throw error }
                try waiting.pause(error.message, for: AuditTail.pause)
                continue
            }
            try waiting.pause(for: AuditTail.pause)
        }
    }

    /// What came since the last question, oldest first.
    private mutating func news() throws(CommandFailure) -> [AuditItem] {
        guard let since else {
            let newest = try page([("limit", "1")]).entries.first?.id
            self.since = "\(newest ?? 0)"
            return []
        }
        let found = try allPages { before throws(CommandFailure) in
            let page = try page(filter + [("since", since), ("limit", "100"), ("before", before)])
            return (page.entries, page.next.map { "\($0)" })
        }
        if let newest = found.first?.id { self.since = "\(newest)" }
        return found.reversed()
    }

    private mutating func page(_ query: QueryItems) throws(CommandFailure) -> AuditAnswer {
        let answer = try remote.response("GET", "/audit" + queryString(query))
        guard answer.status == 200 else {
            isRefused = answer.status != 429 && answer.status < 500
            throw remote.failure(status: answer.status, body: answer.body)
        }
        return try remote.read(answer.body, saying: "who did what")
    }

    private func show(_ item: AuditItem) {
        guard !printsJSON else { return printJSON(JSON.encode(item)) }
        let columns = [
            clock(item.at), padded(item.action, to: 7),
            padded(item.actor + (item.systemUser.map { "/" + $0 } ?? ""), to: 16),
            padded(item.user.map { "user=" + $0.text } ?? "-", to: 16), padded(item.request ?? "-", to: 12),
            plain(item.reason ?? "-"),
        ]
        printAsIs(columns.joined(separator: "  "))
    }
}
