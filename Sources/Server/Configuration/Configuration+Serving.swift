import Crypto
import Domain
import Encoding
import Gateway
import Glibc
import HTTP
import Ledger
import Stores
import Support

extension SettingsReader {
    mutating func port(of socket: InheritedSocket?) -> Int {
        let port = number("PORT", flag: "--port", default: 8080, in: 0...65_535)
        guard let socket else { return port }
        if let given = given("PORT", flag: "--port"), Int(given.value) == port, port != 0, port != socket.port {
            reject(given, for: socket)
        }
        return socket.port
    }

    mutating func bind(to socket: InheritedSocket?) -> String {
        let given = given("PAYCAST_BIND", flag: "--bind")
        let address = given.flatMap { IPAddress($0.value == "localhost" ? "127.0.0.1" : $0.value) }
        if let given, address == nil {
            reject(given.name, because: "\(quoted(given.value)) is neither an IP address nor localhost")
        } else if let given, let socket, address != IPAddress(socket.address) {
            reject(given, for: socket)
        }
        let bind = socket?.address ?? given?.value ?? "127.0.0.1"
        if isDevelopment, address != nil || socket != nil, !isLoopback(bind) {
            let name = given?.name ?? "LISTEN_FDS"
            let todo =
                isContainer(environment)
                ? "publish the port for this machine alone, with -p 127.0.0.1:8080:8080" : "omit \(name) or --dev"
            warn(
                "--dev with \(name) \(bind): anyone who reaches this machine can buy with the simulated stores and "
                    + "move the clock; \(todo)"
            )
        }
        return bind
    }

    /// `PAYCAST_CONSOLE_BIND`: `ADDRESS:PORT`, with an IPv6 address in brackets.
    mutating func consoleBind(to socket: InheritedSocket?) -> ConsoleBind? {
        let name = "PAYCAST_CONSOLE_BIND"
        let expected = "an address and a port, such as 127.0.0.1:8081"
        let bind = value(name, expected: expected) { ConsoleBind($0) }
        guard let socket else { return bind }
        if let bind, let given = given(name),
            IPAddress(bind.address) != IPAddress(socket.address) || bind.port != 0 && bind.port != socket.port
        {
            reject(given, for: socket)
        }
        return ConsoleBind(address: socket.address, port: socket.port)
    }

    /// `PAYCAST_CONSOLE_URL`: `https://HOST[:PORT]`; in development, `http` as well.
    mutating func consoleURL() -> String? {
        let schemes = isDevelopment ? ["https://", "http://"] : ["https://"]
        let expected = "https:// and a host, without a path, such as https://console.example.com"
        return value("PAYCAST_CONSOLE_URL", expected: expected) { text in
            let url = origin(text.hasSuffix("/") ? String(text.dropLast()) : text)
            return url.flatMap { url in schemes.contains(where: url.hasPrefix) ? url : nil }
        }
    }

    /// Nil if it is not set, or is not what `expected` says.
    mutating func value<Value>(_ variable: String, expected: String, read: (String) -> Value?) -> Value? {
        guard let given = given(variable) else { return nil }
        let value = read(given.value)
        if value == nil { reject(given.name, because: "\(quoted(given.value)) is not \(expected)") }
        return value
    }

    /// `SSL_CERT_FILE`: whom outgoing connections trust. OpenSSL and our HTTP client read it themselves, and would only say
    /// at each connection what is wrong with it. Only the first certificate is read here: what is wrong with a later one still
    /// shows at a connection.
    mutating func checkAuthorities() {
        guard let given = given("SSL_CERT_FILE") else { return }
        let text = (try? SmallFile.read(given.value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        // One certificate proves what the file is; a system's has 140, which took half of the time of a start.
        let end = range(of: "-----END CERTIFICATE-----", in: text[...])?.upperBound
        guard TrustedRoots(pem: String(text[..<(end ?? text.startIndex)])) == nil else { return }
        reject(given.name, because: "\(quoted(given.value)) cannot be read, or is no file of certificates in PEM")
    }

    mutating func database() -> DatabaseURL {
        guard let given = given("DATABASE_URL", flag: "--database") else { return .sqlite(path: "paycast.db") }
        guard let database = parsed(given, { try DatabaseURL($0) }) else { return .sqlite(path: "") }
        if database.isShared { _ = parsed(given) { try PostgresURL($0) } }
        return database
    }

    mutating func listenURL(of database: DatabaseURL) -> PostgresURL? {
        guard let given = given("PAYCAST_LISTEN_URL") else { return nil }
        guard case .postgres = database else {
            warn("PAYCAST_LISTEN_URL is ignored without a DATABASE_URL of PostgreSQL")
            return nil
        }
        return parsed(given) { try PostgresURL($0) }
    }

    mutating func publicFolder() -> String? {
        guard let given = given("PAYCAST_PUBLIC", flag: "--public") else {
            if isFolder("public") { return "public" }
            if !isDevelopment {
                warn(
                    "there is no folder named public here, so there are no pages, and the built-in templates are used; "
                        + "pass --public, or set PAYCAST_PUBLIC"
                )
            }
            return nil
        }
        if !isFolder(given.value) { reject(given.name, because: "\(quoted(given.value)) is not a folder") }
        return given.value
    }

    mutating func developmentNow() -> Instant? {
        if !isDevelopment, given("PAYCAST_DEV_NOW") != nil {
            warn("PAYCAST_DEV_NOW is ignored without --dev")
            return nil
        }
        let expected = "an ISO 8601 instant such as 2026-01-31T12:00:00Z"
        return value("PAYCAST_DEV_NOW", expected: expected) { Instant(iso8601: $0) }
    }

    mutating func streamPattern() -> StreamPattern {
        guard let given = given("PAYCAST_STREAM_NAME") else { return .standard }
        do throws(StreamPatternFlaw) {
            return try StreamPattern(checking: given.value)
        } catch {
            reject(given.name, because: "\(quoted(given.value)) \(error)")
            return .standard
        }
    }

    mutating func allowedOrigins() -> Allowlist<String> {
        let items = list("PAYCAST_ALLOWED_ORIGINS", expected: "an origin such as https://shop.example, nor *") {
            $0 == "*" || origin($0) != nil
        }
        return items.contains("*") ? .any : .only(Set(items.compactMap(origin)))
    }

    mutating func accessPolicy(
        of stores: [any Store],
        serving environments: Set<StoreEnvironment>
    ) -> AccessPolicy {
        let users = list("PAYCAST_SANDBOX_USERS", expected: "a user id") { isValidIdentifier($0) }
        let isForAll = users.contains("*") || (users.isEmpty && isDevelopment) || environments == [.sandbox]
        var policy = AccessPolicy(sandboxUsers: isForAll ? .any : .only(Set(users.map { UserID($0) })))
        policy.catalog = catalog()
        // The effect on a contract that another user claims.
        policy.transfers = choice("PAYCAST_TRANSFERS", word: \.rawValue) ?? .transfer
        policy.honorsXcode = isDevelopment
        policy.apis = Set(stores.filter(\.hasAPI).map { type(of: $0).provider })
        // In development, the stores' stand-ins run in the server itself and answer at once.
        let leeway = number("PAYCAST_LEEWAY_SECONDS", default: isDevelopment ? 5 : 300, in: 0...86_400)
        policy.leeway = .seconds(leeway)
        return policy
    }

    mutating func forward(serving environments: Set<StoreEnvironment>) -> [String] {
        let addresses = addresses("PAYCAST_FORWARD")
        if !addresses.isEmpty && !environments.contains(.sandbox) {
            warn("PAYCAST_FORWARD is ignored: only Sandbox notifications are forwarded, and Sandbox is not served")
        }
        return addresses
    }
}

/// Where the console listens alone.
public struct ConsoleBind: Sendable, Equatable {
    /// An IP address.
    public var address: String
    /// 0 is any free port.
    public var port: Int

    init(address: String, port: Int) {
        self.address = address
        self.port = port
    }

    /// Reads `ADDRESS:PORT`, with `localhost` for 127.0.0.1 and an IPv6 address in brackets; nil for anything else.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.utf8.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = Int(digits), port <= 65_535
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        if host == "localhost" { host = "127.0.0.1" }
        guard IPAddress(host) != nil else { return nil }
        self.address = host
        self.port = port
    }
}

/// An origin as a browser sends it (RFC 6454 §6.1): lower case, no default port, no path. Webviews use other schemes.
private func origin(_ text: String) -> String? {
    let lower = text.lowercased()
    guard let colon = lower.firstRange(of: "://"), let first = lower.utf8.first, (97...122).contains(first),
        lower[..<colon.lowerBound].utf8.allSatisfy(isSchemeByte)
    else { return nil }
    let authority = lower[colon.upperBound...]
    // A colon inside brackets belongs to an IPv6 address.
    let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    let port = authority.dropFirst(host.count)
    let isName = !host.isEmpty && host.utf8.allSatisfy { isSchemeByte($0) && $0 != 43 || $0 == 95 }
    let isIPv6 = host.hasPrefix("[") && IPAddress(host.dropFirst().dropLast()) != nil
    guard isName || isIPv6, port.isEmpty || port.hasPrefix(":") && UInt16(port.dropFirst()) != nil else { return nil }
    let isDefault = lower.hasPrefix("https:") && port == ":443" || lower.hasPrefix("http:") && port == ":80"
    return isDefault ? String(lower.dropLast(port.count)) : lower
}

private func isSchemeByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...122).contains(byte) || [43, 45, 46].contains(byte)
}

private func isLoopback(_ address: String) -> Bool {
    address == "localhost" || address == "::1" || address.hasPrefix("127.")
}

private func isFolder(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
}

func coreCount() -> Int {
    min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), 64)
}
