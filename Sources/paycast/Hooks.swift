import API
import APIModel
import Commands
import Crypto
import Domain
import HTTPClient
import Ledger
import Simulator
import Support

/// Webhooks to the app's backend: how they fare, and a receiver for development.
struct Hooks: Command {
    static let name = "hooks"
    static let summary = "show, test and repeat the webhooks to the app's backend"
    static let help = """
        Show, test and repeat the webhooks to the app's backend (PAYCAST_HOOK_URLS).

        Usage: paycast hooks [list] [OPTIONS]
               paycast hooks test
               paycast hooks resend ID...|--failed
               paycast hooks listen [--port PORT] [--forward-to URL]

        “list” prints how each address fares, and exits 1 unless all are well. With
        --user or --state it prints messages instead: one for each user and address, the
        newest. “test” sends each address a message of the type paycast.test, and exits
        1 unless all accept it. “resend” sends a message once more, in the user's
        present state.

        “listen” is a receiver for development: it verifies what arrives, and prints one
        line for each message. The secrets are those of PAYCAST_HOOK_SECRETS, else the
        one in .paycast/.

        Options:
          --user USER           only messages about this user
          --state WORD          only these: waiting, delivered or failed
          --failed              resend all that have failed
          --port PORT           where to listen on 127.0.0.1, 4040; 0 is any free port
          --forward-to URL      post what is genuine here, and answer the same
          --json                the server's answers, or the messages, as JSON
        \(RemoteServer.optionsHelp)

        Example: PAYCAST_HOOK_URLS=http://127.0.0.1:4040 paycast demo
                 paycast hooks listen --forward-to http://localhost:3000/hooks
        """
    static let words = ["list", "test", "resend", "listen"]
    private static let subject = "how hooks fare"

    private enum Action {
        case list(user: String?, state: String?)
        case test
        case resend([String], failed: Bool)
        case listen(port: Int, forwardTo: String?)
    }

    private let remote: RemoteServer
    private let action: Action
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        let user = try arguments.option("--user")
        let state = try arguments.choice("--state", among: HookState.allCases.map(\.rawValue))
        let isFailed = try arguments.flag("--failed")
        let port = try arguments.number("--port", in: 0...65_535)
        let forward = try arguments.option("--forward-to")
        let word = try arguments.positional() ?? "list"
        switch word {
        case "list": action = .list(user: user, state: state)
        case "test": action = .test
        case "resend":
            var ids: [String] = []
            while let id = try arguments.positional() { ids.append(id) }
            guard ids.isEmpty == isFailed else {
                throw UsageError("name the delivery's id, as “hooks list --state failed” shows it, or --failed for all")
            }
            action = .resend(ids, failed: isFailed)
        case "listen":
            let isAddress = forward.map { $0.hasPrefix("http://") || $0.hasPrefix("https://") } ?? true
            guard isAddress else {
                throw UsageError("--forward-to must be an address such as http://localhost:3000/hooks")
            }
            action = .listen(port: port ?? 4040, forwardTo: forward)
        default:
            throw UsageError("hooks cannot \(quoted(word))" + suggestion(for: word, among: Hooks.words))
        }
    }

    func run() throws(CommandFailure) -> Int32 {
        switch action {
        case .list(nil, nil): return try list()
        case .list(let user, let state): return try listDeliveries(user: user, state: state)
        case .test: return try test()
        case .resend(let ids, let isFailed):
            return try resend(isFailed ? deliveries(user: nil, state: "failed").map(\.id) : ids)
        case .listen(let port, let address): return try listen(port: port, forwardTo: address)
        }
    }

    private func list() throws(CommandFailure) -> Int32 {
        let bytes = try remote.get("/hooks")
        let answer: HooksAnswer = try remote.read(bytes, saying: Hooks.subject)
        if printsJSON {
            printJSON(bytes)
        } else if answer.hooks.isEmpty {
            printError("paycast: no address is configured: set PAYCAST_HOOK_URLS")
        }
        for hook in answer.hooks where !printsJSON {
            var words = [padded(hook.state, to: 8), hook.url, "waiting \(hook.waiting)"]
            if let last = hook.lastSuccess { words.append("last success \(last)") }
            if hook.failures > 0 { words.append("\(hook.failures) failures since \(hook.failingSince ?? "?")") }
            if let reason = hook.reason { words.append(reason) }
            printText(words.joined(separator: "  "))
        }
        return answer.hooks.allSatisfy { $0.state == "ok" } ? 0 : 1
    }

    private func listDeliveries(user: String?, state: String?) throws(CommandFailure) -> Int32 {
        for delivery in try deliveries(user: user, state: state, limit: printsJSON ? .max : 1000) {
            if printsJSON {
                printJSON(JSON.encode(delivery))
            } else {
                let end = delivery.dueAt.map { "next \($0)" } ?? delivery.endedAt ?? ""
                let words = [
                    delivery.id, padded(delivery.state, to: 9), delivery.type, delivery.user.text, delivery.url,
                    "attempts \(delivery.attempts)", end, delivery.reason ?? "",
                ]
                printText(words.filter { !$0.isEmpty }.joined(separator: "  "))
            }
        }
        return 0
    }

    private func deliveries(
        user: String?,
        state: String?,
        limit: Int = .max
    ) throws(CommandFailure) -> [HookDeliveriesAnswer.Delivery] {
        try allPages(limit: limit) { before throws(CommandFailure) in
            let query = queryString([("user", user), ("state", state), ("before", before)])
            let page: HookDeliveriesAnswer = try remote.get("/hooks/deliveries" + query, saying: Hooks.subject)
            return (page.deliveries, page.next)
        }
    }

    private func test() throws(CommandFailure) -> Int32 {
        let bytes = try remote.post([String: String](), to: "/hooks/test")
        let answer: HookTestAnswer = try remote.read(bytes, saying: Hooks.subject)
        if printsJSON { printJSON(bytes) }
        for trial in answer.hooks where !printsJSON {
            printText("\(trial.ok ? "ok    " : "FAIL  ")\(trial.url)  \(trial.milliseconds) ms  \(trial.message)")
        }
        guard !answer.hooks.isEmpty else {
            throw CommandFailure("no address is configured: set PAYCAST_HOOK_URLS")
        }
        return answer.hooks.allSatisfy(\.ok) ? 0 : 1
    }

    private func resend(_ ids: [String]) throws(CommandFailure) -> Int32 {
        for id in ids {
            let bytes = try remote.post([String: String](), to: "/hooks/deliveries/\(pathPart(id))/resend")
            if printsJSON { printJSON(bytes) } else { printText("\(id)  waiting") }
        }
        return 0
    }
}

/// The receiver.
extension Hooks {
    private func listen(port: Int, forwardTo address: String?) throws(CommandFailure) -> Int32 {
        let secrets = try Hooks.secrets()
        let listener = try HookListener(port: port)
        let signer = WebhookSigner(secrets)
        let client = HTTPClient(timeout: .seconds(15))
        printError("paycast: listening; start the server with PAYCAST_HOOK_URLS=http://127.0.0.1:\(listener.port)")
        listener.run { request in
            if let flaw = request.flaw(for: signer, now: Clock().now().milliseconds / 1000) {
                printText("REFUSED  \(flaw)")
                return (400, flaw)
            }
            let answer = address.map { request.forward(to: $0, with: client) } ?? (status: 200, text: "verified")
            show(request.body, id: request.id, answer: answer)
            return answer
        }
    }

    /// Of this environment, or of this folder's development server; a list has those of all addresses.
    private static func secrets() throws(CommandFailure) -> [WebhookSecret] {
        let workspace = try? DevelopmentWorkspace.existing(in: ".")
        let given = Secret.text("PAYCAST_HOOK_SECRETS", in: processEnvironment()) ?? workspace?.hookSecret ?? ""
        let found = commaList(given).compactMap { item in
            WebhookSecret(
                item.ranges(of: "=" + WebhookSecret.prefix).last.map { String(item[$0.lowerBound...].dropFirst()) }
                    ?? item
            )
        }
        guard !found.isEmpty else {
            throw CommandFailure("no secret: set PAYCAST_HOOK_SECRETS, or run this where the development server runs")
        }
        return found
    }

    private func show(_ body: [UInt8], id: String, answer: (status: Int, text: String)) {
        guard !printsJSON, let message = JSON.decode(HookMessage.self, from: body) else { return printJSON(body) }
        let data = message.data
        var words = [message.type]
        if let user = data.user { words.append("user=\(user.text)") }
        if let active = data.active { words.append("active=\(active)") }
        for item in data.contracts ?? [] {
            words.append("\(item.product)=\(item.state)" + (item.accessUntil.map { " until \($0)" } ?? ""))
        }
        if let purchase = data.purchase {
            words.append("\(purchase.product) × \(purchase.quantity)")
            words.append("transaction=\(purchase.store)/\(purchase.transaction)")
            if let version = purchase.version { words.append("version=\(version)") }
        }
        if let cause = data.cause {
            words.append(
                "cause="
                    + [cause.provider, cause.type ?? cause.kind, cause.outcome].compactMap { $0 }.joined(separator: "/")
            )
        }
        if let superseded = data.superseded, superseded > 0 { words.append("superseded=\(superseded)") }
        if let cursor = data.cursor { words.append("cursor=\(cursor)") }
        printText(words.joined(separator: "  ") + "  \(id)  \(answer.text)")
    }
}
