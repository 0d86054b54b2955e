import Domain
import HTTP
import Ledger
import Pages
import Stores
import Support

/// What an operator may read of the settings: no secret, and nothing that leads to one.
extension Configuration {
    func facts(node: String) -> [(name: String, value: String)] {
        let kept = retentionDays.map { "\($0) days" } ?? "for ever"
        return [
            ("Version", releaseVersion), ("Node", node), ("Ledger", database.description),
            ("Stores", providers.map(\.rawValue).joined(separator: ", ")),
            ("A user’s stream", streamPattern.stream(for: "{user}")?.text ?? "-"),
            ("Bodies are kept", "\(kept), or until their user is erased"),
            ("Transfers", accessPolicy.transfers.rawValue), ("Loops", String(loops)),
            ("Connections at most", String(limits.connections)), ("TLS", tls == nil ? "at a proxy, or none" : "here"),
            ("Keys with a name", namedKeys.map(Configuration.words).sorted().joined(separator: "; ")),
            ("The app's backend is told at", hooks.count == 1 ? "1 address" : "\(hooks.count) addresses"),
            ("Forwards to", forward.count == 1 ? "1 staging server" : "\(forward.count) staging servers"),
            ("Rails", redis != nil ? "Redis" : railsCable != nil ? "its cable's database" : "not heard"),
            ("Development", isDevelopment ? "yes: simulated stores, a clock of its own" : "no"),
        ]
    }

    /// `mara: read, act`.
    private static func words(_ key: AccessKey) -> String {
        let rights = Right.allCases.filter { key.rights.contains($0) }.map(\.rawValue)
        return "\(key.name): \(rights.joined(separator: ", "))"
    }
}
