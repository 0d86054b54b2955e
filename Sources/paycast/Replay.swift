internal import Domain

/// Stored events once more: what that would change, the change itself, or their pages told again.
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
        var body = body
        var (read, changed) = (0, 0)
        // A contract's events may be on several pages, and a user have several contracts.
        var (skipped, told): (Set<String>, Set<String>) = ([], [])
        while true {
            let bytes = try remote.post("/replays", .object(body), timeout: .seconds(300))
            guard let page = JSONValue(bytes), case .array(let changes)? = page["changes"] else {
                throw CommandFailure("\(remote.url) does not tell what it replayed: is that a Paycast server?")
            }
            let passed = page["skipped"]?.items ?? []
            if printsJSON {
                printText(String(decoding: bytes, as: UTF8.self))
            } else {
                for change in changes { printText(line(change)) }
                for event in passed { printText(skippedLine(event)) }
            }
            told.formUnion((page["told"]?.items ?? []).compactMap(\.words))
            if case .integer(let count)? = page["read"] { read += Int(clamping: count) }
            changed += changes.count
            skipped.formUnion(passed.compactMap { $0["event"]?.words })
            guard let next = page["next"]?.words else { break }
            body["since"] = .text(next)
        }
        if !printsJSON { printText(summary(read, changed, skipped.count, told.count)) }
        return read == 0 ? 1 : 0
    }

    private func summary(_ read: Int, _ changed: Int, _ skipped: Int, _ told: Int) -> String {
        switch body["mode"]?.words {
        case "dry_run": "\(read) read, \(changed) would change, \(skipped) skipped"
        case "broadcast": "\(read) read, \(told) \(told == 1 ? "user" : "users") told"
        default: "\(read) read, \(changed) changed, \(skipped) skipped"
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
