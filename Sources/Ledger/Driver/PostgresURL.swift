import CPostgres

/// The address of a database. Its description never shows user or password.
public struct PostgresURL: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The client library's own messages quote the URL, so they are never repeated.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        case unknownScheme
        case escape
        case malformed
        case ports
        case sslMode
        case readsOnly
        case number(String)

        public var description: String {
            switch self {
            case .unknownScheme: "is not postgres://USER:PASSWORD@HOST:PORT/DATABASE"
            case .escape:
                "its user or password is not percent-encoded: write %40 for @, %2F for /, %3F for ?, %25 for %"
            case .malformed:
                "is not read by PostgreSQL's client library: write postgres://USER:PASSWORD@HOST:PORT/DATABASE"
                    + "?sslmode=verify-full, with special characters percent-encoded and no parameter that libpq"
                    + " does not know"
            case .ports: "its ports are not numbers from 1 to 65535, one for all hosts or one for each"
            case .sslMode: "its sslmode is not disable, allow, prefer, require, verify-ca or verify-full"
            case .readsOnly: "its target_session_attrs asks for a server that may refuse writes; write read-write"
            case .number(let name): "its \(name) is not a whole number"
            }
        }
    }

    /// The hosts, in the order in which they are tried: the parameters of each.
    let hosts: [[String: String]]
    /// All other parameters.
    let parameters: [String: String]

    /// Reads everything that libpq reads (https://www.postgresql.org/docs/15/libpq-connect.html#id-1.7.3.8.3.6):
    /// several hosts, a folder of Unix sockets, TLS.
    public init(_ text: String) throws(Failure) {
        guard ["postgres://", "postgresql://"].contains(where: text.hasPrefix) else { throw .unknownScheme }
        guard PostgresURL.hasValidEscapes(text) else { throw .escape }
        var parameters = try PostgresURL.parsed(text)
        hosts = try PostgresURL.takeHosts(&parameters)
        try PostgresURL.check(parameters)
        parameters["target_session_attrs"] = nil
        self.parameters = parameters
    }

    /// Whether it names a cluster, of which another host may answer soon.
    var namesSeveralHosts: Bool { hosts.count > 1 }

    public var description: String {
        let places = hosts.map { host in
            let name = PostgresURL.name(of: host)
            return (name.contains(":") ? "[\(name)]" : name) + (host["port"].map { ":" + $0 } ?? "")
        }
        return "postgres://\(places.joined(separator: ","))" + (parameters["dbname"].map { "/" + $0 } ?? "")
    }

    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }

    static func name(of host: [String: String]) -> String { host["host"] ?? host["hostaddr"] ?? "localhost" }

    private static func hasValidEscapes(_ text: String) -> Bool {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        guard !text.utf8.contains(where: { $0 < 0x20 }) else { return false }
        return parts.dropFirst().allSatisfy { part in
            let digits = String(decoding: part.prefix(2), as: UTF8.self)
            // `UInt8` would also accept a sign.
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit) else { return false }
            return UInt8(digits, radix: 16).map { $0 >= 0x20 } ?? false
        }
    }

    private static func parsed(_ text: String) throws(Failure) -> [String: String] {
        guard let list = PQconninfoParse(text, nil) else { throw .malformed }
        defer { PQconninfoFree(list) }
        var parameters: [String: String] = [:]
        var option = list
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { parameters[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return parameters
    }

    private static func takeHosts(_ parameters: inout [String: String]) throws(Failure) -> [[String: String]] {
        func take(_ name: String) -> [String?] {
            let list = parameters.removeValue(forKey: name) ?? ""
            return list.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) }
        }
        let names = take("host")
        let addresses = take("hostaddr")
        let ports = take("port")
        let count = max(names.count, addresses.count)
        guard names.count == 1 || addresses.count == 1 || names.count == addresses.count else { throw .malformed }
        guard ports.count == 1 || ports.count == count else { throw .ports }
        guard ports.allSatisfy({ $0 == nil || (UInt16($0 ?? "") ?? 0) > 0 }) else { throw .ports }
        return (0..<count).map { index in
            [
                "host": names.count == count ? names[index] : nil,
                "hostaddr": addresses.count == count ? addresses[index] : nil,
                "port": ports.count == 1 ? ports[0] : ports[index],
            ].compactMapValues { $0 }
        }
    }

    private static func check(_ parameters: [String: String]) throws(Failure) {
        let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
        if let mode = parameters["sslmode"], !modes.contains(mode) { throw .sslMode }
        let targets = ["any", "read-write", "primary"]
        if let target = parameters["target_session_attrs"], !targets.contains(target) { throw .readsOnly }
        let numbers = [
            "connect_timeout", "tcp_user_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
            "keepalives_count",
        ]
        for name in numbers {
            if let value = parameters[name], Int32(value) == nil { throw .number(name) }
        }
    }
}
