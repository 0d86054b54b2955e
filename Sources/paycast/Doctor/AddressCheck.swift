internal import Domain
internal import HTTPClient

/// Whether stores and pages reach the server at its public address.
struct AddressCheck {
    /// Without a slash at its end.
    let url: String
    /// Whose webhooks have to be there.
    let stores: [Provider]
    let client: HTTPClient

    /// The findings, and what the server there says the time is.
    func run() -> (findings: [Finding], date: Instant?) {
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send("GET", url + "/up")
        } catch {
            return ([failure(error)], nil)
        }
        let date = response.header("Date").flatMap(HTTPDate.instant)
        var findings = [scheme]
        guard response.status == 200 else {
            let todo = "is Paycast behind this address? A proxy must pass every path on"
            return (findings + [.fail("address", "\(url)/up answers \(response.status): \(todo)")], date)
        }
        findings.append(.ok("address", "\(url) answers"))
        return (findings + stores.map(webhook), date)
    }

    private var scheme: Finding {
        if url.hasPrefix("https://") { return .ok("TLS", "the certificate is trusted") }
        let isLocal = ["http://127.", "http://localhost", "http://[::1]"].contains { url.hasPrefix($0) }
        return isLocal
            ? .warn("TLS", "\(url) is reached from this machine alone: stores need a public https:// address")
            : .fail(
                "TLS",
                "\(url) is not encrypted: stores deliver to https:// alone, and pages would leak their names"
            )
    }

    private func failure(_ error: HTTPClientError) -> Finding {
        if case .certificate = error {
            let todo = "the chain must be whole and name this host; Apple and Google refuse others"
            return .fail("TLS", "\(error): \(todo)")
        }
        return .fail("address", "\(error)")
    }

    /// Posts nothing that a store would: refusing that is what tells that the endpoint is there.
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
