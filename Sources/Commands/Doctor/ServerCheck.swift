import API
import APIModel
import Domain
import HTTPClient
import Ledger
import Stores

/// The server from a client's view: whether stores and pages reach it at its public address, whether it is ready, and
/// whether it knows the API key.
struct ServerCheck {
    struct Result {
        var findings: [Finding]
        var isThere = false
        /// Its `/ready` is among the findings: what it says is not looked for anew.
        var saysIfReady = false
        /// That PostgreSQL is away from it, and since when; not among the findings.
        var outage: String?
        /// How far its clock is off, as it says itself; nil if no store has told it, or it may not be asked.
        var storeClock: StoreClockAnswer?
        /// A development server's clock; nil for any other.
        var clock: Instant?
    }

    let remote: RemoteServer
    /// The stores whose webhooks must answer.
    let stores: [Provider]
    let isDevelopment: Bool
    let client: HTTPClient

    private var url: String { remote.url }

    func run() -> Result {
        let unchecked = Finding.warn(
            "server",
            detail: "its webhooks, its readiness and the API key are not checked until it answers"
        )
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send("GET", to: url + "/up")
        } catch {
            return Result(findings: [failure(error), unchecked])
        }
        guard response.status == 200 else {
            let todo = "is Paycast behind this address? A proxy must forward every path"
            let failure = Finding.fail("address", detail: "\(url)/up answers \(response.status): \(todo)")
            return Result(findings: [scheme, failure, unchecked])
        }
        let (clock, found) = (clock, [scheme, .ok("address", detail: "\(url) answers")] + stores.map(webhook))
        let answer = readiness
        return Result(
            findings: found + (answer.map(ServerCheck.ready) ?? []) + [apiKey] + [development(clock)].compactMap { $0 },
            isThere: true,
            saysIfReady: answer != nil,
            outage: answer.flatMap(ServerCheck.outage),
            storeClock: answer?.clock,
            clock: clock
        )
    }

    /// The server's own words; nil if the server does not allow us to ask.
    private var readiness: Readiness? {
        guard let response = try? client.send("GET", to: remote.url + "/ready", headers: remote.authorization),
            [200, 503].contains(response.status)
        else { return nil }
        return JSON.decode(Readiness.self, from: response.body)
    }

    private static func outage(_ answer: Readiness) -> String? {
        let prefix = "ledger: "
        let found = answer.problems.first { $0.hasPrefix(prefix + LedgerHealth.outageWords) }
        return found.map { String($0.dropFirst(prefix.count)) }
    }

    /// Only what `/ready` says, for whoever asks twice a minute. No answer in time is not ready.
    static func readiness(of remote: RemoteServer) -> [Finding] {
        do throws(CommandFailure) {
            let answer = try remote.response("GET", "/ready", timeout: .seconds(5))
            guard [200, 503].contains(answer.status) else {
                throw remote.failure(status: answer.status, body: answer.body)
            }
            let readiness: Readiness = try remote.read(answer.body, saying: "whether it is ready")
            return ready(readiness)
        } catch {
            return [.fail("ready", detail: error.message)]
        }
    }

    private static func ready(_ answer: Readiness) -> [Finding] {
        guard !answer.problems.isEmpty || !answer.warnings.isEmpty else {
            return [.ok("ready", detail: "the server reports no problem")]
        }
        let problems = answer.problems.filter { !$0.contains(LedgerHealth.outageWords) }
        return problems.map { .fail("ready", detail: $0) } + answer.warnings.map { .warn("ready", detail: $0) }
    }

    private var apiKey: Finding {
        guard let name = remote.keyName else {
            return .warn("API key", detail: "no key is given: pass --key, or set PAYCAST_API_KEY as on the server")
        }
        do throws(CommandFailure) {
            let answer = try remote.response("GET", "/users/paycast-doctor/entitlements")
            let code = JSON.decode(ErrorAnswer.self, from: answer.body)?.error
            // The key is looked at before the ledger is asked.
            let isAccepted = answer.status == 200 || ["ledger_unavailable", "busy"].contains(code)
            guard isAccepted else { throw remote.failure(status: answer.status, body: answer.body) }
            return answer.status == 200 && JSON.decode(EntitlementsAnswer.self, from: answer.body) == nil
                ? .fail("API key", detail: "cannot be tried: \(remote.url) does not answer like Paycast")
                : .ok("API key", detail: "the server accepts the key from \(name)")
        } catch {
            return .fail("API key", detail: error.message)
        }
    }

    /// Reading the clock changes nothing; `PUT` would move it.
    private var clock: Instant? {
        guard let response = try? client.send("GET", to: remote.url + "/demo/api/clock"), response.status == 200 else {
            return nil
        }
        return JSON.decode(ClockAnswer.self, from: response.body).flatMap { Instant(iso8601: $0.now) }
    }

    private func development(_ clock: Instant?) -> Finding? {
        if isDevelopment && clock == nil {
            let todo = "start it with --dev, or omit --dev here"
            return .fail(
                "development",
                detail: "\(remote.url) is not a development server, so it has no stand-ins to ask: \(todo)"
            )
        }
        if !isDevelopment && clock != nil {
            let todo = "pass --dev to check it as one; stores must not deliver to it"
            return .warn("development", detail: "\(remote.url) is a development server: \(todo)")
        }
        return nil
    }

    // MARK: The address

    private var scheme: Finding {
        if url.hasPrefix("https://") { return .ok("TLS", detail: "the certificate is trusted") }
        let isLocal = ["http://127.", "http://localhost", "http://[::1]"].contains { url.hasPrefix($0) }
        if isLocal {
            let what = "\(url) can be reached only from this machine"
            return isDevelopment
                ? .ok("TLS", detail: "is not needed: \(what)")
                : .warn(
                    "TLS",
                    detail: "\(what): pass --server with the https:// address that stores and pages use"
                )
        }
        let what = "\(url) is not encrypted"
        return isDevelopment
            ? .warn("TLS", detail: "\(what): good enough for development only")
            : .fail("TLS", detail: "\(what): stores deliver only to https://, and pages would leak their names")
    }

    private func failure(_ error: HTTPClientError) -> Finding {
        if case .certificate = error {
            return .fail("TLS", detail: "\(error); Apple and Google refuse it as well")
        }
        guard case .refused = error else { return .fail("address", detail: "\(error)") }
        switch remote.source {
        case .none:
            let todo = "start the server, or pass its address with --server"
            return .warn("address", detail: "no address was given, and nothing answers at \(url): \(todo)")
        case .workspace:
            let todo = "start “paycast demo” or “paycast serve --dev” in this folder, or pass --server"
            return .fail("address", detail: "nothing answers at \(url), which .paycast/address names: \(todo)")
        case .given: return .fail("address", detail: "\(error)")
        }
    }

    /// Posts a body that no store would send: the endpoint is there if it refuses that. The API key marks it, so that the
    /// server does not count it as a refused delivery.
    private func webhook(_ store: Provider) -> Finding {
        let what = "webhook \(store.rawValue)"
        let path = "/webhooks/\(store.rawValue)"
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            let headers = remote.authorization + [("Content-Type", "application/json")]
            response = try client.send("POST", to: url + path, headers: headers, body: Array("{}".utf8))
        } catch {
            return .fail(what, detail: "\(error)")
        }
        let code = JSON.decode(ErrorAnswer.self, from: response.body)?.error
        switch (response.status, code) {
        case (400, _?), (401, _?): return .ok(what, detail: "\(path) refuses unsigned requests, as it should")
        case (503, "not_configured"?):
            return .fail(what, detail: "\(path) is there, but that server lacks the settings that this environment has")
        case (300..<400, _):
            return .fail(what, detail: "\(path) redirects, which stores do not follow: give them the final address")
        case (200..<300, _): return .fail(what, detail: "\(path) accepts unsigned requests: that is not Paycast")
        default: return .fail(what, detail: "\(path) answers \(response.status): is Paycast behind this address?")
        }
    }
}
