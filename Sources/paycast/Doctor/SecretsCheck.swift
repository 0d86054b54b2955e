internal import Settings
internal import StoreInterface

/// Whether the secrets in an environment are safe. Pure; the findings reveal nothing about a secret.
struct SecretsCheck {
    private static let placeholders = [
        "changeme", "change-me", "change_me", "password", "secret", "example", "your-", "your_", "xxxxxxxx",
    ]
    static let names = [
        "PAYCAST_API_KEY", "PAYCAST_STREAM_KEYS", "SECRET_KEY_BASE", "PAYCAST_STRIPE_SECRETS",
        "PAYCAST_STRIPE_API_KEY", "PAYCAST_REVENUECAT_AUTHORIZATION", "PAYCAST_PURCHASEKIT_SECRET",
    ]
    private static let lists = ["PAYCAST_API_KEY", "PAYCAST_STREAM_KEYS", "PAYCAST_STRIPE_SECRETS"]

    let environment: [String: String]
    let isDevelopment: Bool
    /// The keys of `.paycast/`, which anyone on a developer's machine may know.
    let developmentKeys: [String]

    var findings: [Finding] {
        let given = SecretsCheck.names.flatMap { name in values(of: name).map { (name: name, value: $0) } }
        var findings = SecretsCheck.names.compactMap(blank)
        for (name, value) in given { findings += problems(name, value) }
        findings += repeated(given)
        if findings.isEmpty {
            let count = given.count
            let none = isDevelopment ? "none is set: those of .paycast/ serve" : "none is set"
            let sum = count == 0 ? none : "\(count) set, long enough, and each its own"
            findings.append(.ok("secrets", sum))
        }
        return findings
    }

    private func values(of name: String) -> [String] {
        guard let text = environment[name] else { return [] }
        let items = SecretsCheck.lists.contains(name) ? text.split(separator: ",").map(String.init) : [text]
        return items.map(trimmed).filter { !$0.isEmpty }
    }

    private func blank(_ name: String) -> Finding? {
        guard let text = environment[name], !text.isEmpty, values(of: name).isEmpty else { return nil }
        return .fail(name, "is set but blank: give it a value, or take it away")
    }

    private func problems(_ name: String, _ value: String) -> [Finding] {
        var findings: [Finding] = []
        let lower = value.lowercased()
        if value.count < Secret.shortest {
            findings.append(.fail(name, "can be guessed, it is too short: take what openssl rand -hex 32 prints"))
        } else if SecretsCheck.placeholders.contains(where: lower.contains) {
            findings.append(.fail(name, "looks like a placeholder: take what openssl rand -hex 32 prints"))
        }
        if !isDevelopment, developmentKeys.contains(value) {
            findings.append(.fail(name, "is the development key of .paycast/: make one for this server alone"))
        }
        if name == "PAYCAST_STRIPE_SECRETS", !value.hasPrefix("whsec_"), !isDevelopment {
            findings.append(
                .warn(name, "does not begin with whsec_: it is the endpoint's signing secret, not an API key")
            )
        }
        if name == "PAYCAST_STRIPE_API_KEY", lower.contains("_test_"), !isDevelopment {
            findings.append(.warn(name, "is a test key: live objects cannot be read with it"))
        }
        return findings
    }

    /// Anyone who knows one of two equal secrets knows the other.
    private func repeated(_ given: [(name: String, value: String)]) -> [Finding] {
        var seen: [String: String] = [:]
        var findings: [Finding] = []
        for (name, value) in given {
            if let first = seen[value], first != name {
                findings.append(.fail(name, "has the value of \(first): one leak would open both; make another one"))
            }
            seen[value] = seen[value] ?? name
        }
        return findings
    }
}
