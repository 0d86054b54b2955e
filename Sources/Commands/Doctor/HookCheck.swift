internal import APIModel
internal import Server
internal import Stores

/// The addresses of the app's backend. Only the server knows what it sends from where: it is asked how they fare and, with
/// `--send`, to send each a test.
struct HookCheck {
    let addresses: [HookAddress]
    let remote: RemoteServer
    let sendsTests: Bool

    var findings: [Finding] {
        guard !addresses.isEmpty || sendsTests else { return [] }
        do throws(CommandFailure) {
            return try sendsTests ? trials() : states()
        } catch {
            return [.warn("hooks", detail: "are not checked: \(error.message)")]
        }
    }

    private func states() throws(CommandFailure) -> [Finding] {
        guard let answer = JSON.decode(HooksAnswer.self, from: try remote.get("/hooks")) else { return [] }
        return answer.hooks.map { hook in
            guard hook.state != "ok" else {
                return .ok("hook", detail: "\(hook.url) accepts what it is sent; --send tries it now")
            }
            return .fail("hook", detail: "\(hook.url) is \(hook.state): \(hook.reason ?? "see paycast hooks")")
        }
    }

    private func trials() throws(CommandFailure) -> [Finding] {
        let bytes = try remote.post([String: String](), to: "/hooks/test")
        guard let answer = JSON.decode(HookTestAnswer.self, from: bytes) else { return [] }
        guard !answer.hooks.isEmpty else {
            return [.warn("hooks", detail: "there is no address to send a test to: set PAYCAST_HOOK_URLS")]
        }
        return answer.hooks.map { trial in
            let detail = "\(trial.url): \(trial.message)"
            return trial.ok ? .ok("hook", detail: detail) : .fail("hook", detail: detail)
        }
    }
}
