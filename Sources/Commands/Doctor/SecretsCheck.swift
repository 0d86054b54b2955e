import Stores
import Support

/// Whether the secrets in an environment are safe. Pure; the findings reveal nothing about a secret.
struct SecretsCheck {
    private static let placeholders = [
        "changeme", "change-me", "change_me", "password", "secret", "example", "your-", "your_", "xxxxxxxx",
    ]
    /// The server's own secrets and those of the stores.
    private static let settings =
        [
            SecretSetting(name: "PAYCAST_API_KEY", isList: true),
            SecretSetting(name: "PAYCAST_KEYS", isList: true),
            SecretSetting(name: "PAYCAST_STREAM_KEYS", isList: true),
            SecretSetting(name: "SECRET_KEY_BASE", isList: true),
            SecretSetting(name: "PAYCAST_HOOK_SECRETS", isList: true),
        ] + Stores.secretSettings
    static let names = settings.map(\.name)

    let environment: [String: String]
    let isDevelopment: Bool
    /// The keys of `.paycast/`, which anyone on a developer's machine may know.
    let developmentKeys: [String]

    var findings: [Finding] {
        let given = SecretsCheck.settings.flatMap { setting in
            values(of: setting).map { (name: setting.name, value: $0) }
        }
        var findings = SecretsCheck.settings.compactMap(blank)
        for (name, value) in given { findings += problems(name, value: value) }
        findings += repeated(given)
        if findings.isEmpty {
            let count = given.count
            let none = isDevelopment ? "none is set: those in .paycast/ are used" : "none is set"
            let sum = count == 0 ? none : "\(count) set, all long enough and different"
            findings.append(.ok("secrets", detail: sum))
        }
        return findings
    }

    private func values(of setting: SecretSetting) -> [String] {
        guard let text = environment[setting.name] else { return [] }
        var items = setting.isList ? text.split(separator: ",") : [text[...]]
        // name:rights:key
        if setting.name == "PAYCAST_KEYS" { items = items.map { $0.split(separator: ":", maxSplits: 2).last ?? "" } }
        return items.map { trimmed($0) }.filter { !$0.isEmpty }
    }

    private func blank(_ setting: SecretSetting) -> Finding? {
        guard let text = environment[setting.name], !text.isEmpty, values(of: setting).isEmpty else { return nil }
        return .fail(setting.name, detail: "is set but blank: give it a value, or remove it")
    }

    private func problems(_ name: String, value: String) -> [Finding] {
        var findings: [Finding] = []
        let lower = value.lowercased()
        if value.count < Secret.shortest {
            findings.append(
                .fail(name, detail: "is so short that it can be guessed: use the output of openssl rand -hex 32")
            )
        } else if SecretsCheck.placeholders.contains(where: lower.contains) {
            findings.append(.fail(name, detail: "looks like a placeholder: use the output of openssl rand -hex 32"))
        }
        if !isDevelopment, developmentKeys.contains(value) {
            findings.append(
                .fail(name, detail: "is the development key of .paycast/: generate one for this server alone")
            )
        }
        if name == "PAYCAST_STRIPE_SECRETS", !value.hasPrefix("whsec_"), !isDevelopment {
            findings.append(
                .warn(name, detail: "does not begin with whsec_: set the endpoint's signing secret, not an API key")
            )
        }
        if name == "PAYCAST_STRIPE_API_KEY", lower.contains("_test_"), !isDevelopment {
            findings.append(.warn(name, detail: "is a test key, which cannot read live objects: set the live key"))
        }
        return findings
    }

    /// Anyone who knows one of two equal secrets knows the other.
    private func repeated(_ given: [(name: String, value: String)]) -> [Finding] {
        var seen: [String: String] = [:]
        var findings: [Finding] = []
        for (name, value) in given {
            if let first = seen[value], first != name {
                findings.append(
                    .fail(name, detail: "has the value of \(first): one leak would expose both; generate a second one")
                )
            }
            seen[value] = seen[value] ?? name
        }
        return findings
    }
}
