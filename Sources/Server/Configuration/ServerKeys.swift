import API
import Crypto
import Domain
import Pages
import Simulator
import Support

/// All keys of a server: the configured ones or, in development, those that the workspace created.
struct ServerKeys {
    /// Nil outside development.
    let workspace: DevelopmentWorkspace?
    /// The bearer keys of the API routes.
    let access: [AccessKey]
    let streamNames: StreamNameVerifier?

    init(_ configuration: Configuration) throws(StartError) {
        let workspace: DevelopmentWorkspace? = try starting {
            try configuration.isDevelopment ? DevelopmentWorkspace.open(in: ".") : nil
        }
        self.init(configuration, in: workspace)
    }

    init(_ configuration: Configuration, in workspace: DevelopmentWorkspace?) {
        self.workspace = workspace
        let own = configuration.apiKeys.isEmpty ? workspace.map { [Secret($0.apiKey)] } : nil
        access = (own ?? configuration.apiKeys).map { AccessKey($0) } + configuration.namedKeys
        // Text keys come before the keys derived from a Rails app's secret, so they sign: an operator who sets both wants
        // stream names that are signed separately.
        var keys = configuration.streamKeys.map { StreamNameVerifier.Key(text: $0.value) }
        for secret in configuration.secretKeyBases {
            keys.append(StreamNameVerifier.Key(secretKeyBase: secret.value, with: .sha256))
        }
        // Of apps with the defaults of an older Rails. None of them signs.
        for secret in configuration.secretKeyBases {
            keys.append(StreamNameVerifier.Key(secretKeyBase: secret.value, with: .sha1))
        }
        if keys.isEmpty, let workspace { keys.append(StreamNameVerifier.Key(text: workspace.streamKey)) }
        streamNames = StreamNameVerifier(keys: keys)
    }

    func authorization(_ origins: Allowlist<String>) -> Authorization {
        Authorization(keys: access, streamNames: streamNames, origins: origins)
    }
}

extension SettingsReader {
    /// `PAYCAST_KEYS`: items `name:rights:key`, the rights joined by `+`. A name may stand twice while its key is
    /// replaced. A problem shows no part of an item: the key may have been written in another place.
    mutating func namedKeys(beside apiKeys: [Secret]) -> [AccessKey] {
        var keys: [AccessKey] = []
        for item in secretItems("PAYCAST_KEYS") {
            do throws(KeyProblem) {
                let key = try namedKey(item.value)
                rejectIfShort(key.secret.value, name: item.name, place: item.place)
                if (keys.map(\.secret) + apiKeys).contains(key.secret) {
                    reject(item.name, because: "\(item.place)repeats a key; use the output of openssl rand -hex 32")
                }
                keys.append(key)
            } catch {
                reject(item.name, because: item.place + error.text)
            }
        }
        return keys
    }

    private struct KeyProblem: Error { let text: String }

    private func namedKey(_ item: String) throws(KeyProblem) -> AccessKey {
        let parts = item.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(trimmed)
        guard parts.count == 3 else { throw KeyProblem(text: "is not name:rights:key") }
        let (name, words) = (parts[0], parts[1].split(separator: "+", omittingEmptySubsequences: false).map(trimmed))
        guard (1...40).contains(name.utf8.count), isAppName(name), !["api", "cli"].contains(name) else {
            let what = "has a name that is not 1 to 40 letters, digits, dots, dashes or underscores, or is api or cli"
            throw KeyProblem(text: what)
        }
        let rights = words.flatMap { $0 == "all" ? Right.allCases : Right(rawValue: $0).map { [$0] } ?? [] }
        guard words.allSatisfy({ $0 == "all" || Right(rawValue: $0) != nil }) else {
            let known = (Right.allCases.map(\.rawValue) + ["all"]).joined(separator: ", ")
            throw KeyProblem(text: "names a right that does not exist; the rights, joined by +, are \(known)")
        }
        return AccessKey(name: name, rights: Set(rights), secret: Secret(parts[2]))
    }
}
