import Domain
import Encoding
import HTTPClient

/// Where Redis is: `REDIS_URL`. Its description never shows the password.
public struct RedisURL: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    public enum Failure: String, Error, CustomStringConvertible {
        case unknownScheme =
            "is not redis://HOST:PORT/DATABASE, as in redis://127.0.0.1:6379/1, nor rediss:// for TLS, nor unix:/PATH"
        case missingHost = "names no host; write redis://127.0.0.1:6379"
        case port = "its port is not a number from 1 to 65535"
        case database = "the part after the host is not the number of a database"
        case query = "has a query (?…) or a fragment (#…), which Paycast does not read"
        case missingPath = "has no absolute path; write unix:/run/redis/redis.sock"
        case credentials = "its user or password is not percent-encoded: write %40 for @, %2F for /, %25 for %"

        public var description: String { rawValue }
    }

    public enum Address: Sendable, Equatable {
        case tcp(host: String, port: Int)
        case unix(path: String)
    }

    public let address: Address
    /// Over TLS.
    public let isSecure: Bool
    let user: String?
    let password: String?

    /// Reads `redis://[user:password@]host[:port][/database]`, the same with `rediss`, `unix:/path` or
    /// `unix://[user:password@]/path`.
    ///
    /// The database is checked and then ignored: publish and subscribe span all databases
    /// (https://redis.io/docs/latest/develop/pubsub/#database--scoping).
    public init(_ text: String) throws(Failure) {
        guard !text.contains("?"), !text.contains("#") else { throw .query }
        let isUnix = text.hasPrefix("unix:/")
        isSecure = text.hasPrefix("rediss://")
        guard isUnix || isSecure || text.hasPrefix("redis://") else { throw .unknownScheme }
        var rest = text.drop { $0 != ":" }.dropFirst()
        var authority = Substring()
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            authority = rest.prefix { $0 != "/" }
            rest = rest.dropFirst(authority.count)
        }
        (user, password) = try RedisURL.takeCredentials(&authority)
        address = isUnix ? try RedisURL.unix(authority, path: rest) : try RedisURL.tcp(authority, path: rest)
    }

    public var description: String {
        switch address {
        case .tcp(let host, let port):
            "\(isSecure ? "rediss" : "redis")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }

    private static func takeCredentials(
        _ authority: inout Substring
    ) throws(Failure) -> (user: String?, password: String?) {
        guard let at = authority.lastIndex(of: "@") else { return (nil, nil) }
        let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        authority = authority[authority.index(after: at)...]
        guard parts.count == 2, !parts[1].isEmpty else { throw .credentials }
        guard let user = decoded(parts[0]), let password = decoded(parts[1]) else { throw .credentials }
        return (user.isEmpty ? nil : user, password)
    }

    private static func tcp(_ authority: Substring, path: Substring) throws(Failure) -> Address {
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        guard isValidIdentifier(String(host)), !host.contains(" ") else { throw .missingHost }
        guard !isBracketed || authority.dropFirst(host.count + 1).hasPrefix("]") else { throw .missingHost }
        let port = authority.dropFirst(host.count + (isBracketed ? 2 : 0))
        guard port.isEmpty || port.hasPrefix(":") else { throw .missingHost }
        guard let number = port.isEmpty ? 6379 : UInt16(port.dropFirst()), number > 0 else { throw .port }
        let database = path.dropFirst()
        guard database.isEmpty || UInt16(database) != nil else { throw .database }
        return .tcp(host: String(host), port: Int(number))
    }

    private static func unix(_ authority: Substring, path: Substring) throws(Failure) -> Address {
        // A Unix socket's path has 107 bytes at most (unix(7)).
        guard authority.isEmpty, path.count > 1, isValidIdentifier(String(path), limit: 107) else { throw .missingPath }
        return .unix(path: String(path))
    }

    /// Decodes percent escapes; returns nil when they are malformed or hide a control character.
    private static func decoded(_ text: Substring) -> String? {
        guard let text = PercentEncoding.decode(text) else { return nil }
        return text.isEmpty || isValidIdentifier(text, limit: 1024) ? text : nil
    }
}

/// Which broadcasts to listen to.
public struct RedisSettings: Sendable, Equatable {
    /// `REDIS_URL`.
    public var url: RedisURL
    /// `PAYCAST_REDIS_PREFIX`: the `channel_prefix` of the Rails app's `config/cable.yml`. If nil, every channel counts
    /// as a stream.
    public var prefix: String?
    /// `PAYCAST_REDIS_VERIFY`.
    public var verification: RedisVerification

    public init(url: RedisURL, prefix: String? = nil, verification: RedisVerification = .full) {
        self.url = url
        self.prefix = prefix
        self.verification = verification
    }

    var place: ByteConnection.Place {
        switch url.address {
        case .tcp(let host, let port):
            .tcp(host: host, port: port, peer: url.isSecure ? verification == .full ? .verified : .anyone : nil)
        case .unix(let path): .unix(path: path)
        }
    }
}

/// What Redis' certificate is compared with, over TLS.
public enum RedisVerification: String, Sendable, CaseIterable {
    /// The authorities that this machine trusts, and the name of the host.
    case full
    /// Nothing: some providers sign their certificates by themselves, and change them.
    case nothing = "none"
}
