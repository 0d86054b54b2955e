import Crypto
public import Domain
import Encoding
import HTTPClient
public import Support

/// An address of the app's backend, with the secrets that sign what is sent there.
public struct HookAddress: Sendable, Equatable {
    public var target: HookTarget
    /// All of them sign, so that a receiver may know either while they are rotated.
    public var secrets: [Secret]
}

extension [HookAddress] {
    public var targets: [HookTarget] { map(\.target) }

    /// With the workspace's secret, in development, for those that have none.
    func completed(with secret: String?) -> [HookAddress] {
        map { address in
            guard address.secrets.isEmpty, let secret else { return address }
            return HookAddress(target: address.target, secrets: [Secret(secret)])
        }
    }
}

extension SettingsReader {
    /// `PAYCAST_HOOK_URLS`: whole addresses, each with the types that it wants after a `#`. `PAYCAST_HOOK_SECRETS`: secrets
    /// for all of them, or `URL=secret` for one. A problem shows no item: both may be secret.
    mutating func hooks() -> [HookAddress] {
        let targets = hookTargets()
        let known = targets.map(\.address)
        let items = secretItems("PAYCAST_HOOK_SECRETS")
        var secrets: [String: [Secret]] = [:]
        for item in items {
            let end = item.value.ranges(of: "=" + WebhookSecret.prefix).last?.lowerBound
            let address = end.map { String(item.value[..<$0]) }
            let text = end.map { String(item.value[item.value.index(after: $0)...]) } ?? item.value
            if WebhookSecret(text) == nil {
                let what = "whsec_ and the Base64 of 24 to 64 bytes, such as whsec_$(openssl rand -base64 32)"
                reject(item.name, because: "\(item.place)is not \(what)")
            } else if let address, !known.contains(address) {
                reject(item.name, because: "\(item.place)is for an address that PAYCAST_HOOK_URLS does not name")
            }
            for address in address.map({ [$0] }) ?? known { secrets[address, default: []].append(Secret(text)) }
        }
        if targets.isEmpty, !items.isEmpty { warn("PAYCAST_HOOK_SECRETS is ignored without PAYCAST_HOOK_URLS") }
        let addresses = targets.map { HookAddress(target: $0, secrets: secrets[$0.address] ?? []) }
        // In development, the workspace has one.
        if !isDevelopment, addresses.contains(where: \.secrets.isEmpty) {
            reject("PAYCAST_HOOK_SECRETS", because: "has no secret for an address of PAYCAST_HOOK_URLS")
        }
        return addresses
    }

    private mutating func hookTargets() -> [HookTarget] {
        guard let given = given("PAYCAST_HOOK_URLS") else { return [] }
        var targets: [HookTarget] = []
        for (index, item) in commaList(given.value).enumerated() {
            let place = "item \(index + 1) of the list"
            let parts = item.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let words = parts.count > 1 ? parts[1].split(separator: "+").map(String.init) : nil
            let types = words.map { $0.compactMap(HookType.init) } ?? Array(HookType.usual)
            if !isHookAddress(parts[0]) {
                let what = "https://backend.example/hooks; plain http only to a loopback address of this machine"
                reject(given.name, because: "\(place) is not an address such as \(what)")
            } else if types.isEmpty || types.count != words?.count ?? types.count {
                let known = HookType.allCases.map(\.rawValue).joined(separator: ", ")
                reject(
                    given.name,
                    because: "\(place) has an unknown type after its #; the types, joined by +, are \(known)"
                )
            } else if targets.contains(where: { $0.address == parts[0] }) {
                reject(given.name, because: "\(place) repeats an address")
            }
            targets.append(HookTarget(address: parts[0], types: Set(types)))
        }
        if targets.isEmpty { reject(given.name, because: "is set, but names nothing") }
        return targets
    }
}

/// Without a password: it would stand in logs of proxies.
private func isHookAddress(_ text: String) -> Bool {
    let isPlain = text.hasPrefix("http://")
    guard isPlain || text.hasPrefix("https://"), !text.contains(where: \.isWhitespace) else { return false }
    let authority = text.dropFirst(isPlain ? 7 : 8).prefix { !"/?".contains($0) }
    guard !authority.isEmpty, !authority.contains("@") else { return false }
    // As it is parsed when something is sent there.
    guard let url = try? RequestURL(text) else { return false }
    return !isPlain || url.isLoopback
}

extension HookTarget {
    /// For answers: a query may hold a secret.
    var shown: String { String(address.prefix { $0 != "?" }) }

    /// For logs: the rest of an address may be secret.
    var origin: String {
        let scheme = address.hasPrefix("https://") ? "https://" : "http://"
        return scheme + address.dropFirst(scheme.count).prefix { !"/?".contains($0) }
    }
}
