internal import Domain
internal import HTTPClient

/// Replays stored events: shows what that would change, applies it, or broadcasts the result to the pages again.
struct Replay: Command {
    static let name = "replay"

    private let remote: Remote
    private var body: [String: JSONValue]
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try Remote(&arguments)
        printsJSON = try arguments.flag("--json")
        let isTrial = try arguments.flag("--dry-run")
        let isBroadcast = try arguments.flag("--broadcast")
        if isTrial && isBroadcast { throw UsageError("say either --dry-run or --broadcast") }
        body = ["mode": .text(isTrial ? "dry_run" : isBroadcast ? "broadcast" : "apply")]
        let events = try arguments.options("--event")
        if !events.isEmpty { body["events"] = .array(events.map { .text($0) }) }
        for name in ["user", "since", "until"] {
            if let value = try arguments.option("--" + name) { body[name] = .text(value) }
        }
        guard body.count > 1 else {
            throw UsageError("which events? Say --event, --user, --since or --until; --since start means all")
        }
        for name in ["since", "until"] {
            guard let text = body[name]?.words, Cursor(text) == nil, name == "until" || text != "start" else {
                continue
            }
            throw UsageError("--\(name) is a cursor such as 3f9a-120, not \(quoted(text))")
        }
    }

    func run() throws(CommandFailure) -> Int32 {
        var (body, total) = (body, Total())
        let progress = Progress()
        defer { progress.clear() }
        while true {
            let response = try remote.response(toPosting: .object(body), at: "/replays", timeout: .seconds(300))
            guard let page = JSONValue(response.body), case .array(let changes)? = page["changes"] else {
                if response.status != 200 { throw remote.failure(status: response.status, body: response.body) }
                throw CommandFailure("\(remote.url) does not tell what it replayed: is that a Paycast server?")
            }
            progress.clear()
            if printsJSON {
                printText(String(decoding: response.body, as: UTF8.self))
            } else {
                for line in changes.map(line) + (page["skipped"]?.items ?? []).map(skippedLine) { printText(line) }
                for contract in page["left"]?.items ?? [] { printText("\(contract.words ?? "?")  left as it was") }
            }
            total.add(page, changes: changes.count)
            progress.show("\(total.read) read, \(total.changed) changed …")
            guard let next = page["next"]?.words else { break }
            body["since"] = .text(next)
        }
        progress.clear()
        if !printsJSON { printText(summary(total)) }
        guard total.left.isEmpty else {
            throw CommandFailure("its store kept saying something of what was left as it was: replay it again")
        }
        return total.read == 0 ? 1 : 0
    }

    /// The total of all pages: a contract's events may be on several pages, and a user may have several contracts.
    private struct Total {
        var (read, changed) = (0, 0)
        var (skipped, told, left): (Set<String>, Set<String>, Set<String>) = ([], [], [])

        mutating func add(_ page: JSONValue, changes: Int) {
            if case .integer(let count)? = page["read"] { read += Int(clamping: count) }
            changed += changes
            skipped.formUnion((page["skipped"]?.items ?? []).compactMap { $0["event"]?.words })
            told.formUnion((page["told"]?.items ?? []).compactMap(\.words))
            left.formUnion((page["left"]?.items ?? []).compactMap(\.words))
        }
    }

    private func summary(_ total: Total) -> String {
        let skipped = "\(total.skipped.count) skipped" + (total.left.isEmpty ? "" : ", \(total.left.count) left")
        return switch body["mode"]?.words {
        case "dry_run": "\(total.read) read, \(total.changed) would change, \(skipped)"
        case "broadcast": "\(total.read) read, \(total.told.count) \(total.told.count == 1 ? "user" : "users") told"
        default: "\(total.read) read, \(total.changed) changed, \(skipped)"
        }
    }

    private func line(_ change: JSONValue) -> String {
        let states = "\(change["before"]?.words ?? "none") → \(change["after"]?.words ?? "none")"
        let until = "\(change["access_until_before"]?.words ?? "-") → \(change["access_until"]?.words ?? "-")"
        let users = [change["previous_user"]?.words, change["user"]?.words]
        let user = users[0] == users[1] ? users[1] ?? "-" : "\(users[0] ?? "-") → \(users[1] ?? "-")"
        return [change["event"]?.words ?? "?", change["contract"]?.words ?? "?", "user=\(user)", states, until]
            .joined(separator: "  ")
    }

    private func skippedLine(_ event: JSONValue) -> String {
        "\(event["event"]?.words ?? "?")  skipped: \(event["reason"]?.words ?? "?")"
    }
}
