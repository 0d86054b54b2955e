internal import APIModel
internal import Domain
internal import HTTPClient
internal import Stores

/// The server from a client's view: its address and webhooks, whether it is ready, and whether it knows the API key.
struct ServerCheck {
    struct Result {
        var findings: [Finding]
        var isThere = false
        /// The time according to a proxy in front of it.
        var date: Instant?
        /// A development server's clock; nil for any other.
        var clock: Instant?
    }

    let remote: RemoteServer
    /// The stores whose webhooks must answer.
    let stores: [Provider]
    let isDevelopment: Bool
    let client: HTTPClient

    func run() -> Result {
        let address = AddressCheck(remote: remote, stores: stores, isDevelopment: isDevelopment, client: client).run()
        guard address.isThere else {
            let todo = "its webhooks, its readiness and the API key are not checked until it answers"
            return Result(findings: address.findings + [.warn("server", detail: todo)], date: address.date)
        }
        let clock = clock
        return Result(
            findings: address.findings + readiness + [apiKey] + [development(clock)].compactMap { $0 },
            isThere: true,
            date: address.date,
            clock: clock
        )
    }

    /// The server's own words; empty if the server does not allow us to ask.
    private var readiness: [Finding] {
        guard let response = try? client.send("GET", to: remote.url + "/ready", headers: remote.authorization),
            [200, 503].contains(response.status), let answer = JSON.decode(Readiness.self, from: response.body)
        else { return [] }
        let problems = answer.problems
        let warnings = answer.warnings.map { Finding.warn("ready", detail: $0) }
        if problems.isEmpty, response.status == 200 {
            return [.ok("ready", detail: "the server reports no problem")] + warnings
        }
        return problems.map { .fail("ready", detail: $0) } + warnings
    }

    private var apiKey: Finding {
        guard let name = remote.keyName else {
            return .warn("API key", detail: "no key is given: pass --key, or set PAYCAST_API_KEY as on the server")
        }
        do throws(CommandFailure) {
            let answer = try remote.get("/users/paycast-doctor/entitlements")
            return JSON.decode(EntitlementsAnswer.self, from: answer) == nil
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
}
