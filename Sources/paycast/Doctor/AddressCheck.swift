internal import Domain
internal import HTTPClient
internal import StoreInterface

/// Whether stores and pages reach the server at its public address.
struct AddressCheck {
    let remote: Remote
    /// The stores whose webhooks must be there.
    let stores: [Provider]
    let isDevelopment: Bool
    let client: HTTPClient

    private var url: String { remote.url }

    /// Returns the findings, and the time according to a proxy at the address: Paycast itself sends no `Date`.
    func run() -> (findings: [Finding], isThere: Bool, date: Instant?) {
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send("GET", url + "/up")
        } catch {
            return ([failure(error)], false, nil)
        }
        let date = response.header("Date").flatMap(Instant.init(httpDate:))
        guard response.status == 200 else {
            let todo = "is Paycast behind this address? A proxy must pass every path on"
            return ([scheme, .fail("address", "\(url)/up answers \(response.status): \(todo)")], false, date)
        }
        return ([scheme, .ok("address", "\(url) answers")] + stores.map(webhook), true, date)
    }

    private var scheme: Finding {
        if url.hasPrefix("https://") { return .ok("TLS", "the certificate is trusted") }
        let isLocal = ["http://127.", "http://localhost", "http://[::1]"].contains { url.hasPrefix($0) }
        if isLocal {
            let what = "\(url) is reached from this machine alone"
            return isDevelopment
                ? .ok("TLS", "none is needed: \(what)")
                : .warn("TLS", "\(what): say --server with the https:// address that stores and pages are given")
        }
        let what = "\(url) is not encrypted"
        return isDevelopment
            ? .warn("TLS", "\(what): good enough to develop with, and for nothing else")
            : .fail("TLS", "\(what): stores deliver to https:// alone, and pages would leak their names")
    }

    private func failure(_ error: HTTPClientError) -> Finding {
        if case .certificate = error {
            let todo = "the chain must be whole and name this host; Apple and Google refuse others"
            return .fail("TLS", "\(error): \(todo)")
        }
        guard case .refused = error else { return .fail("address", "\(error)") }
        switch remote.source {
        case .none:
            let todo = "start the server, or say --server https://… of it"
            return .warn("address", "nobody named one, and nothing answers at \(url): \(todo)")
        case .workspace:
            let todo = "start “paycast demo” or “paycast serve --dev” in this folder, or say --server"
            return .fail("address", "nothing answers at \(url), which .paycast/address names: \(todo)")
        case .option, .environment: return .fail("address", "\(error)")
        }
    }

    /// Posts a body that no store would send: the endpoint is there if it refuses that.
    private func webhook(_ store: Provider) -> Finding {
        let what = "webhook \(store.rawValue)"
        let path = "/webhooks/\(store.rawValue)"
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            let headers = [("Content-Type", "application/json")]
            response = try client.send("POST", url + path, headers: headers, body: Array("{}".utf8))
        } catch {
            return .fail(what, "\(error)")
        }
        let code = JSONValue(response.body)?["error"]?.words
        switch (response.status, code) {
        case (400, _?), (401, _?): return .ok(what, "\(path) refuses what is not signed, as it should")
        case (503, "not_configured"?):
            return .fail(what, "\(path) is there, but that server lacks the settings that this environment has")
        case (300..<400, _):
            return .fail(what, "\(path) redirects, and stores do not follow: give them the last address")
        case (200..<300, _): return .fail(what, "\(path) takes what nobody signed: that is not Paycast")
        default: return .fail(what, "\(path) answers \(response.status): is Paycast behind this address?")
        }
    }
}
