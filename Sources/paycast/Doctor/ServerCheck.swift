internal import Domain
internal import HTTPClient
internal import StoreInterface

/// What a client sees of the server: its address and webhooks, whether it is ready, and whether it knows the API key.
struct ServerCheck {
    struct Result {
        var findings: [Finding]
        var isThere = false
        /// The time according to a proxy in front of it.
        var date: Instant?
        /// A development server's clock; nil for any other.
        var clock: Instant?
    }

    let remote: Remote
    /// The stores whose webhooks must be there.
    let stores: [Provider]
    let isDevelopment: Bool
    let client: HTTPClient

    func run() -> Result {
        let address = AddressCheck(remote: remote, stores: stores, isDevelopment: isDevelopment, client: client).run()
        guard address.isThere else {
            let todo = "its webhooks, its readiness and the API key are not looked at before it answers"
            return Result(findings: address.findings + [.warn("server", todo)], date: address.date)
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
        guard let response = try? client.send("GET", remote.url + "/ready", headers: remote.authorization),
            [200, 503].contains(response.status), let answer = JSONValue(response.body)
        else { return [] }
        let problems = answer["problems"]?.items.compactMap(\.words) ?? []
        let warnings = answer["warnings"]?.items.compactMap(\.words).map { Finding.warn("ready", $0) } ?? []
        if problems.isEmpty, response.status == 200 {
            return [.ok("ready", "the server has no problem to tell")] + warnings
        }
        return problems.map { .fail("ready", $0) } + warnings
    }

    private var apiKey: Finding {
        guard let name = remote.keyName else {
            return .warn("API key", "none to try: say --key, or set PAYCAST_API_KEY as the server has it")
        }
        do throws(CommandFailure) {
            let answer = JSONValue(try remote.get("/users/paycast-doctor/entitlements"))
            return answer?["entitlements"] == nil
                ? .fail("API key", "cannot be tried: \(remote.url) does not answer as Paycast does")
                : .ok("API key", "the server knows the one of \(name)")
        } catch {
            return .fail("API key", error.message)
        }
    }

    /// Reading the clock changes nothing; `PUT` would move it.
    private var clock: Instant? {
        guard let response = try? client.send("GET", remote.url + "/demo/api/clock"), response.status == 200 else {
            return nil
        }
        return JSONValue(response.body)?["now"]?.words.flatMap { Instant(iso8601: $0) }
    }

    private func development(_ clock: Instant?) -> Finding? {
        if isDevelopment && clock == nil {
            let todo = "start it with --dev, or leave --dev away here"
            return .fail(
                "development",
                "\(remote.url) is no development server, so it has no stand-ins to ask: \(todo)"
            )
        }
        if !isDevelopment && clock != nil {
            let todo = "say --dev to judge it as one; stores must not deliver to it"
            return .warn("development", "\(remote.url) is a development server: \(todo)")
        }
        return nil
    }
}
