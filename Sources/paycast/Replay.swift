import API
import APIModel
import Commands
import Domain
import HTTPClient

/// Replays stored events: shows what that would change, applies it, or broadcasts the result to the pages again.
struct Replay: Command {
    static let name = "replay"
    static let summary = "apply stored events again, or send pages their state again"
    static let help = """
        Rebuild contracts from all of their stored events, and send pages what changed.
        Use it after an update that understands the stores' events better.

        Usage: paycast replay (--event ID | --user USER | --since CURSOR) [OPTIONS]

        Prints what changed, how many events were read, and which were skipped because
        they can no longer be verified: their contracts keep what those events said.
        Orders, claims and transfers stay. Exits 1 when there was no such event, and
        when a contract was left unchanged because its store kept sending events.

        Options:
          --event ID            this event, by the store's id; may be repeated
          --user USER           the events of this user's purchases
          --since CURSOR        events after this cursor, or all from the “start”
          --until CURSOR        events up to this cursor
          --dry-run             change nothing, print what would change
          --broadcast           change nothing, send the pages their state again
          --json                the server's answers as lines of JSON
        \(RemoteServer.optionsHelp)

        Example: paycast replay --user 42 --dry-run
        """

    private let remote: RemoteServer
    private let request: ReplayRequest
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        let isTrial = try arguments.flag("--dry-run")
        let isBroadcast = try arguments.flag("--broadcast")
        if isTrial && isBroadcast { throw UsageError("pass either --dry-run or --broadcast") }
        var request = ReplayRequest(mode: isTrial ? .dryRun : isBroadcast ? .broadcast : .apply)
        let events = try arguments.options("--event")
        if !events.isEmpty { request.events = events }
        request.user = try arguments.option("--user").map { UserID($0) }
        request.since = try arguments.option("--since")
        request.until = try arguments.option("--until")
        guard request != ReplayRequest(mode: request.mode) else {
            throw UsageError("which events? Pass --event, --user, --since or --until; --since start means all")
        }
        for (name, text) in [("since", request.since), ("until", request.until)] {
            guard let text, Cursor(text) == nil, name == "until" || text != "start" else { continue }
            throw UsageError("--\(name) must be a cursor such as 3f9a-120, not \(quoted(text))")
        }
        self.request = request
    }

    func run() throws(CommandFailure) -> Int32 {
        var request = request
        var total = Total()
        let progress = ProgressLine()
        defer { progress.clear() }
        while true {
            let json = JSON.encode(request)
            let response = try remote.response("POST", "/replays", json: json, timeout: .seconds(300))
            guard let page = JSON.decode(ReplayAnswer.self, from: response.body) else {
                if response.status != 200 { throw remote.failure(status: response.status, body: response.body) }
                throw CommandFailure("\(remote.url) does not say what it replayed: is that a Paycast server?")
            }
            progress.clear()
            if printsJSON {
                printJSON(response.body)
            } else {
                for line in page.changes.map(line) + page.skipped.map(skippedLine) { printText(line) }
                for contract in page.left { printText("\(contract)  left unchanged") }
            }
            total.add(page)
            progress.show("\(total.read) read, \(total.changed) changed …")
            guard let next = page.next else { break }
            request.since = next
        }
        progress.clear()
        if !printsJSON { printText(summary(total)) }
        guard total.left.isEmpty else {
            throw CommandFailure(
                "a store kept sending events about contracts that were left unchanged: replay them again"
            )
        }
        return total.read == 0 ? 1 : 0
    }

    /// The total of all pages: a contract's events may be on several pages, and a user may have several contracts.
    private struct Total {
        var read = 0
        var changed = 0
        var skipped: Set<String> = []
        var told: Set<UserID> = []
        var left: Set<String> = []

        mutating func add(_ page: ReplayAnswer) {
            read += page.read
            changed += page.changes.count
            skipped.formUnion(page.skipped.map(\.event))
            told.formUnion(page.told)
            left.formUnion(page.left)
        }
    }

    private func summary(_ total: Total) -> String {
        let skipped = "\(total.skipped.count) skipped" + (total.left.isEmpty ? "" : ", \(total.left.count) left")
        return switch request.mode {
        case .dryRun: "\(total.read) read, \(total.changed) would change, \(skipped)"
        case .broadcast: "\(total.read) read, \(total.told.count) \(total.told.count == 1 ? "user" : "users") told"
        case .apply: "\(total.read) read, \(total.changed) changed, \(skipped)"
        }
    }

    private func line(_ change: ReplayAnswer.Change) -> String {
        let states = "\(change.before ?? "none") → \(change.after ?? "none")"
        let until = "\(change.accessUntilBefore ?? "-") → \(change.accessUntil ?? "-")"
        let user = change.user?.text ?? "-"
        let users = change.previousUser == change.user ? user : "\(change.previousUser?.text ?? "-") → \(user)"
        return [change.event, change.contract, "user=\(users)", states, until].joined(separator: "  ")
    }

    private func skippedLine(_ skipped: ReplayAnswer.Skipped) -> String {
        "\(skipped.event)  skipped: \(skipped.reason)"
    }
}
