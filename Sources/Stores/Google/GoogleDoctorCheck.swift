import Domain
import Encoding
import Support

extension GoogleStore {
    public func examine(_ dependencies: StoreDependencies, url: String?) -> [Finding] {
        guard let api = playAPI(dependencies) else { return settingsFindings(url: url) }
        let contract = nobodysPurchase(dependencies.development)
        let success = "the service account reads purchases of \(contract.app)"
        let now = dependencies.clock()
        return settingsFindings(url: url) + [api.finding("Google API", of: contract, success: success, now: now)]
    }

    /// Checks the settings as far as possible without asking Google. `url` is the server's public address, if it was given.
    /// In development, the simulated store supplies the settings that are missing.
    func settingsFindings(url: String?) -> [Finding] {
        let all = [
            (audience, audienceFinding(url)), (pushAccount, accountFinding), (credentials?.value, credentialsFinding),
        ]
        return all.filter { $0.0 != nil || !isDevelopment }.map(\.1)
    }

    private func audienceFinding(_ url: String?) -> Finding {
        let name = "Google audience"
        guard let audience else {
            let todo = "name the push subscription's audience, which proves that a push is meant for this server"
            return .fail(name, detail: "PAYCAST_GOOGLE_AUDIENCE is not set: \(todo)")
        }
        if let url, audience.hasPrefix("http"), audience != url + "/webhooks/google" {
            let todo = "both sides must name the same audience"
            return .warn(name, detail: "is not \(url)/webhooks/google, Pub/Sub's default: \(todo)")
        }
        return .ok(name, detail: "must be the subscription's “audience”, word for word")
    }

    private var accountFinding: Finding {
        let name = "Google push account"
        let todo = "name the push subscription's service account"
        guard let pushAccount else { return .fail(name, detail: "PAYCAST_GOOGLE_PUSH_ACCOUNT is not set: \(todo)") }
        return pushAccount.hasSuffix(".gserviceaccount.com")
            ? .ok(name, detail: "is a service account")
            : .warn(name, detail: "does not end with .gserviceaccount.com: \(todo)")
    }

    private var credentialsFinding: Finding {
        let name = "Google credentials"
        guard let credentials else {
            let why = "PAYCAST_GOOGLE_CREDENTIALS is not set, so purchases cannot be read and pushes answer 503"
            return .fail(name, detail: "\(why): name a service account's key file")
        }
        let file = JSONNode(credentials.value)
        guard file?["type"]?.text == "service_account", let email = file?["client_email"]?.text,
            file?["private_key"]?.text?.contains("BEGIN PRIVATE KEY") == true
        else {
            let todo = "create one in Google Cloud, IAM, Keys"
            return .fail(name, detail: "is not a service account's JSON key file: \(todo)")
        }
        return .ok(name, detail: "\(quoted(email)) needs “View financial data” and “Manage orders” in Play Console")
    }
}
