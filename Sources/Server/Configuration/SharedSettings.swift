import Crypto
import Domain
import Encoding
import HTTP
import Ledger
import Pages
import Support

/// The settings that all nodes of a ledger must have alike, as digests: each node's heartbeat carries its own, and whoever
/// compares them learns which differ.
///
/// Whoever reads the database reads the digests, and must not learn a weak key from them by guessing. Nothing secret that all
/// nodes are sure to share could be a key of the digests: the keys are what may differ, and a random value of the ledger is in
/// the same database. So each guess at a secret costs as much as its digest (scrypt, salted by the ledger), and a digest is
/// cut to 24 bits: of any list of guesses, one in sixteen million stays that only the server itself could confirm. By the same
/// chance, a difference is not seen.
struct SharedSettings: Sendable, Equatable {
    /// Six hexadecimal digits.
    private static let length = 3

    /// By the setting's name, in the order of a list. Empty for one that is not set.
    private(set) var digests: [String: [String]] = [:]

    /// `salt` belongs to the ledger. This takes tens of milliseconds for each secret.
    init(_ configuration: Configuration, salt: String) {
        let hooks = configuration.hooks
        let secrets: [(name: String, texts: [String])] = [
            ("PAYCAST_API_KEY", configuration.apiKeys.map(\.value)),
            ("PAYCAST_KEYS", configuration.namedKeys.map(SharedSettings.text)),
            (SharedSettings.streamKeys, configuration.streamKeys.map(\.value)),
            (SharedSettings.secretKeyBase, configuration.secretKeyBases.map(\.value)),
            ("PAYCAST_HOOK_URLS", hooks.map { "\($0.target.address)#\($0.target.types.map(\.rawValue).sorted())" }),
            ("PAYCAST_HOOK_SECRETS", hooks.flatMap(\.secrets).map(\.value)),
            ("PAYCAST_FORWARD", configuration.forward),
        ]
        // Those of stores are secrets, or small.
        let given = configuration.given.map { (name: $0.key, texts: [$0.value.value].filter { !$0.isEmpty }) }
        for setting in secrets + given {
            digests[setting.name] = setting.texts.map { text in
                let code = Scrypt.derive(from: text, salt: "\(setting.name) \(salt)", count: SharedSettings.length)
                return Hex.encode(code)
            }
        }
        for (name, text) in SharedSettings.open(configuration) { digests[name] = [SharedSettings.digest(of: text)] }
    }

    static let streamKeys = "PAYCAST_STREAM_KEYS"
    static let secretKeyBase = "SECRET_KEY_BASE"

    /// The secrets that sign stream names, in the order of `ServerKeys`.
    var nameKeys: [(setting: String, digest: String)] {
        [SharedSettings.streamKeys, SharedSettings.secretKeyBase].flatMap { setting in
            (digests[setting] ?? []).map { (setting, $0) }
        }
    }

    /// Of what is no secret.
    static func digest(of text: String) -> String { digest(of: SHA256.hash(Array(text.utf8))) }

    static func digest(of sha256: [UInt8]) -> String { Hex.encode(Array(sha256.prefix(length))) }

    /// What anybody may guess, in the form in which it is in force: a default is equal to the same value that somebody gave.
    private static func open(_ configuration: Configuration) -> [(name: String, text: String)] {
        let policy = configuration.accessPolicy
        return [
            ("PAYCAST_STREAM_NAME", configuration.streamPattern.stream(for: "{user}")?.text ?? ""),
            ("PAYCAST_TRANSFERS", policy.transfers.rawValue),
            ("PAYCAST_SANDBOX_USERS", text(policy.sandboxUsers) { $0.text }),
            ("PAYCAST_LEEWAY_SECONDS", "\(policy.leeway)"),
            ("PAYCAST_ALLOWED_ORIGINS", text(configuration.allowedOrigins) { $0 }),
            ("PAYCAST_RETENTION_DAYS", "\(configuration.retentionDays ?? 0)"),
        ]
    }

    private static func text(_ key: AccessKey) -> String {
        "\(key.name):\(key.rights.map(\.rawValue).sorted().joined(separator: "+")):\(key.secret.value)"
    }

    private static func text<Value>(_ list: Allowlist<Value>, _ word: (Value) -> String) -> String {
        switch list {
        case .any: "*"
        case .only(let values): values.map(word).sorted().joined(separator: ",")
        }
    }
}
