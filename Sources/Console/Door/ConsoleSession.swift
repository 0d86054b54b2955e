import Domain
import Pages

/// Somebody who has come in.
struct ConsoleSession: Sendable, Equatable {
    let token: ConsoleToken
    /// The key as it is now: its rights may have changed since the door was opened.
    let key: AccessKey

    var name: String { key.name }
    /// The only user whom it may see; nil for all.
    var user: UserID? { token.user }
    /// Who came by a link only reads.
    var rights: Set<Right> { user == nil ? key.rights : key.rights.intersection([.read]) }

    func require(_ right: Right) throws(ConsoleError) {
        guard !rights.contains(right) else { return }
        throw .forbidden("This needs the right \(right.rawValue), which the key \(name) does not have here.")
    }
}

/// The cookie that holds a session.
struct SessionCookie: Sendable {
    /// `__Host-` makes browsers take it over TLS alone, for this host alone (RFC 6265bis §4.1.3.2). A development server
    /// without TLS gets one that they take from this machine.
    let isSecure: Bool

    private var name: String { isSecure ? "__Host-paycast" : "paycast" }
    private var attributes: String { "Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "") }

    func set(_ value: String) -> (name: String, value: String) {
        ("Set-Cookie", "\(name)=\(value); Max-Age=\(ConsoleToken.Purpose.session.seconds); \(attributes)")
    }

    var clear: (name: String, value: String) { ("Set-Cookie", "\(name)=; Max-Age=0; \(attributes)") }

    /// Its value in a request: nil if it is not there, or there twice, since another host of the domain may have set one.
    func value(in cookies: String?) -> String? {
        let prefix = name + "="
        let values = (cookies ?? "").utf8.split(separator: UInt8(ascii: ";")).compactMap { item -> String? in
            let text = Array(item.drop { $0 == 32 })
            return text.starts(with: prefix.utf8)
                ? String(decoding: text.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
        }
        return values.count == 1 ? values[0] : nil
    }
}

/// Sessions that were ended before their time, until then. A bounded number: each takes a key to open.
struct EndedSessions: Sendable {
    static let limit = 10_000
    private var ends: [String: Instant] = [:]

    mutating func insert(_ token: ConsoleToken, now: Instant) {
        ends = ends.filter { $0.value > now }
        if ends.count >= EndedSessions.limit, let first = ends.min(by: { $0.value < $1.value }) {
            ends[first.key] = nil
        }
        ends[token.id] = token.expiry
    }

    func contains(_ token: ConsoleToken) -> Bool { ends[token.id] != nil }
}
