import Encoding

/// Who sent a request, through how many of our proxies, and how they reached the first one.
public struct ForwardedClient: Equatable, Sendable {
    /// The nearest address that is not a trusted proxy's; nil if a proxy named something other than an address.
    public var address: IPAddress?
    /// Nil if no trusted proxy states it.
    public var scheme: Scheme?
    /// As the page named it; nil if no trusted proxy states it.
    public var host: String?

    /// More proxies than anyone has in front of us: a longer list is a guess.
    private static let hopLimit = 32

    /// For a request that passed no proxy of ours: the client may have invented what its headers say.
    public init(direct peer: IPAddress?) {
        address = peer
    }

    /// `peer` is one of `proxies`, whose addresses' `X-Forwarded-…` headers are believed: load balancers and TLS proxies in
    /// front of this server. In `addresses` (`X-Forwarded-For`), each proxy appends the address that connected to it.
    ///
    /// Goes from right to left, from proxy to proxy, and stops at the first address that is not ours: others wrote
    /// everything to the left of it.
    public init(proxy peer: IPAddress, addresses: String?, scheme: String?, host: String?, proxies: [IPNetwork]) {
        var hops = 0
        address = peer
        for item in (addresses ?? "").reversedItems() {
            guard hops < ForwardedClient.hopLimit else {
                address = nil
                break
            }
            hops += 1
            address = ForwardedClient.address(item)
            guard let address, proxies.contains(address) else { break }
        }
        // A proxy that names a scheme or a host has forwarded a request, but this one does not say whose.
        if hops == 0, scheme != nil || host != nil { address = nil }
        self.scheme = scheme.flatMap { ForwardedClient.item(hops, of: $0) }.flatMap(ForwardedClient.scheme)
        self.host = host.flatMap { ForwardedClient.item(hops, of: $0) }.flatMap(ForwardedClient.host)
    }

    /// The item from the proxy that wrote the last address. Each proxy may have appended its own item, or only the
    /// first one set it.
    private static func item(_ hops: Int, of list: String) -> Substring? {
        list.reversedItems().prefix(max(1, hops)).reduce(nil) { $1 }
    }

    /// Proxies write `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`.
    private static func address(_ item: Substring) -> IPAddress? {
        if item.hasPrefix("[") {
            guard let end = item.firstIndex(of: "]") else { return nil }
            let port = item[item.index(after: end)...]
            return isPort(port) ? IPAddress(item[item.index(after: item.startIndex)..<end]) : nil
        }
        guard let colon = item.firstIndex(of: ":"), item[item.index(after: colon)...].firstIndex(of: ":") == nil else {
            return IPAddress(item)
        }
        return isPort(item[colon...]) ? IPAddress(item[..<colon]) : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.utf8.dropFirst()
        return text.first == ":" && (1...5).contains(digits.count) && digits.allSatisfy { (48...57).contains($0) }
            && UInt16(text.dropFirst()) != nil
    }

    /// Some proxies state the WebSocket's scheme.
    private static func scheme(_ item: Substring) -> Scheme? {
        switch item.lowercased() {
        case "https", "wss": .https
        case "http", "ws": .http
        default: nil
        }
    }

    private static func host(_ item: Substring) -> String? {
        (1...255).contains(item.utf8.count) && item.utf8.allSatisfy(AddressText.isHostByte) ? String(item) : nil
    }
}

extension String {
    /// The items of a comma list from the right, without the white space around them. Lazy, since most are never read.
    fileprivate func reversedItems() -> some Sequence<Substring> {
        sequence(state: isEmpty ? nil : self[...]) { (rest: inout Substring?) -> Substring? in
            guard let text = rest else { return nil }
            // By bytes: a character that combines with the comma must not hide it.
            let comma = text.utf8.lastIndex(of: UInt8(ascii: ","))
            rest = comma.map { text[..<$0] }
            let item = (comma.map { text[text.utf8.index(after: $0)...] } ?? text).utf8
            let start = item.drop { $0 == 32 || $0 == 9 }
            return Substring(start.lastIndex { $0 != 32 && $0 != 9 }.map { start[...$0] } ?? start.prefix(0))
        }
    }
}

/// How a page reached us.
public enum Scheme: String, Sendable {
    case http, https

    public var webSocket: String { self == .https ? "wss" : "ws" }
}
