import APIModel
public import Crypto
import Domain
import Encoding
import Glibc
public import HTTPClient
import Ledger
import Support

/// The server that a client command talks to, and the key that it presents there.
public struct RemoteServer: Sendable {
    /// The lines about its options in the help of a command.
    public static let optionsHelp = """
          --server URL          PAYCAST_SERVER, else .paycast/address, else where the
                                server of DATABASE_URL, PORT and PAYCAST_BIND listens
          --key KEY             PAYCAST_API_KEY or PAYCAST_API_KEY_FILE, else
                                .paycast/api.key
        """

    /// Where the address comes from.
    public enum Source: Sendable {
        /// `--server`, or the environment.
        case given
        /// `.paycast/address` in this folder: a development server listens there, or once did.
        case workspace
        /// No one named it: the server of this environment, or one on this machine at the usual port.
        case none
    }

    /// Without a trailing slash.
    public let url: String
    public let source: Source
    public let key: String?
    /// The option, variable or file that holds the key.
    public let keyName: String?
    /// Whether the address is that of this folder's development server, whatever its source.
    public let isOfThisFolder: Bool
    /// In PEM: the only authority that is trusted; nil for those of the system.
    private var authorityFile: String?
    private let systemUser = systemUserName()

    /// Takes `--server` and `--key`, else the environment, else `.paycast/`, else the server that this environment starts.
    public init(
        _ arguments: inout Arguments,
        environment: [String: String] = processEnvironment()
    ) throws(UsageError) {
        let addresses: [(Source, name: String, value: String?)] = [
            (.given, "--server", try arguments.option("--server")),
            (.given, clientAddressVariable, environment[clientAddressVariable].flatMap(nonEmpty)),
            (.workspace, ".paycast/address", Workspace.address),
        ]
        let named = addresses.first { $0.value != nil }
        let address = named?.value ?? serverAddress(of: environment) ?? "http://127.0.0.1:8080"
        guard ["http://", "https://"].contains(where: { address.hasPrefix($0) && address != $0 }) else {
            let name = named?.name ?? ""
            throw UsageError("\(name) must be an address such as https://pay.example.com, not \(quoted(address))")
        }
        url = withoutSlash(address)
        source = named?.0 ?? .none
        isOfThisFolder = Workspace.address.map(withoutSlash) == url
        let keys: [(name: String, value: String?)] = [
            ("--key", try arguments.option("--key")),
            ("PAYCAST_API_KEY", Secret.text("PAYCAST_API_KEY", in: environment).flatMap(firstOfList)),
            (".paycast/api.key", Workspace.apiKey),
        ]
        let shown = keys.first { $0.value != nil }
        key = shown?.value
        keyName = shown?.name
    }

    /// The same server, whose certificate has to come from one authority.
    func trusting(_ authorityFile: String?) -> RemoteServer {
        var server = self
        server.authorityFile = authorityFile
        return server
    }

    public var authorization: [(String, String)] {
        key.map { [("Authorization", "Bearer \($0)")] } ?? []
    }

    /// Posts JSON and returns the answer's body; any status but 2xx is a failure.
    public func post(
        _ body: some Encodable,
        to path: String,
        timeout: Duration = .seconds(30)
    ) throws(CommandFailure) -> [UInt8] {
        try bodyOfSuccess("POST", path, json: JSON.encode(body), timeout: timeout)
    }

    public func get(_ path: String, timeout: Duration = .seconds(30)) throws(CommandFailure) -> [UInt8] {
        try bodyOfSuccess("GET", path, json: nil, timeout: timeout)
    }

    /// What the answer to a GET says; `what` is in the error of one that does not.
    public func get<Answer: Decodable>(_ path: String, saying what: String) throws(CommandFailure) -> Answer {
        try read(try get(path), saying: what)
    }

    public func delete(_ path: String, timeout: Duration) throws(CommandFailure) -> [UInt8] {
        try bodyOfSuccess("DELETE", path, json: nil, timeout: timeout)
    }

    private func bodyOfSuccess(
        _ method: String,
        _ path: String,
        json: [UInt8]?,
        timeout: Duration
    ) throws(CommandFailure) -> [UInt8] {
        let answer = try response(method, path, json: json, timeout: timeout)
        guard (200...299).contains(answer.status) else { throw failure(status: answer.status, body: answer.body) }
        return answer.body
    }

    /// Returns the answer with any status, for errors that say more than their reason. A client of one's own keeps its
    /// connections.
    public func response(
        _ method: String,
        _ path: String,
        json: [UInt8]? = nil,
        headers: [(String, String)] = [],
        timeout: Duration = .seconds(30),
        by known: HTTPClient? = nil
    ) throws(CommandFailure) -> HTTPClient.Response {
        do throws(HTTPClientError) {
            let client = known ?? HTTPClient(timeout: timeout, authorityFile: authorityFile)
            let own = authorization + (systemUser.map { [("X-Paycast-User", $0)] } ?? [])
            let content = json == nil ? [] : [("Content-Type", "application/json")]
            return try client.send(method, to: url + path, headers: own + content + headers, body: json)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// What an answer says; `what` is in the error of one that does not.
    public func read<Answer: Decodable>(_ body: [UInt8], saying what: String) throws(CommandFailure) -> Answer {
        guard let answer = JSON.decode(Answer.self, from: body) else {
            throw CommandFailure("\(url) does not say \(what): is that a Paycast server?")
        }
        return answer
    }

    /// What the page of a user needs.
    func page(of user: String, timeout: Duration = .seconds(30)) throws(CommandFailure) -> StreamAnswer {
        let answer = try get("/users/\(pathPart(user))/stream", timeout: timeout)
        guard let page = JSON.decode(StreamAnswer.self, from: answer) else {
            throw CommandFailure("\(url) does not return the stream of \(quoted(user)): is that a Paycast server?")
        }
        return page
    }

    /// What a refusal means, and what to do about it.
    public func failure(status: Int, body: [UInt8]) -> CommandFailure {
        if status == 401 {
            return CommandFailure(
                key == nil
                    ? "no API key: pass --key, set PAYCAST_API_KEY or PAYCAST_API_KEY_FILE, or run this where the development "
                        + "server runs"
                    : "the server at \(url) does not know this API key (\(keyName ?? "--key")): check --key, "
                        + "PAYCAST_API_KEY or PAYCAST_API_KEY_FILE"
            )
        }
        guard let answer = JSON.decode(ErrorAnswer.self, from: body) else {
            return CommandFailure("\(url) answers \(status): is that a Paycast server?")
        }
        return CommandFailure("the server refuses (\(status) \(answer.error)): \(answer.message)")
    }
}

/// The system's user for whom this command runs, for the server's audit; nil for a name that is no word of ASCII.
private func systemUserName() -> String? {
    let id = geteuid()
    let name = getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "\(id)"
    return name.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? name : nil
}

private func withoutSlash(_ address: String) -> String {
    address.hasSuffix("/") ? String(address.dropLast()) : address
}

func nonEmpty(_ text: String) -> String? {
    text.isEmpty ? nil : text
}

/// A list is for rotation: its first key is the one to use.
public func firstOfList(_ list: String) -> String? {
    list.split(separator: ",").lazy.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        .first { !$0.isEmpty }
}

/// The parameters of a request, in their order; one without a value is left out.
public typealias QueryItems = [(name: String, value: String?)]

/// `?name=value&…`, percent-encoded (RFC 3986 §2.1).
public func queryString(_ items: QueryItems) -> String {
    let given = items.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
    return given.isEmpty ? "" : "?" + given.joined(separator: "&")
}

/// Asks for one page of a list after the other, until there are no more items or `limit` is reached. `page` takes where
/// it begins, and returns where the next one does.
public func allPages<Item>(
    limit: Int = .max,
    _ page: (_ before: String?) throws(CommandFailure) -> (items: [Item], next: String?)
) throws(CommandFailure) -> [Item] {
    var found: [Item] = []
    var before: String?
    repeat {
        let (items, next) = try page(before)
        found += items
        before = next
    } while before != nil && found.count < limit
    return found
}

/// A text as one part of a path.
public func pathPart(_ text: String) -> String { PercentEncoding.encode(text) }

/// Where the server listens that was started, or would be, with this environment.
///
/// A server that runs has left its address beside its ledger in SQLite, whatever flags it was started with.
func serverAddress(of environment: [String: String]) -> String? {
    let url = environment["DATABASE_URL"] ?? "sqlite:paycast.db"
    if case .sqlite(let path)? = try? DatabaseURL(url), let address = LedgerLock.holder(of: path)?.address {
        return address
    }
    let port = environment["PORT"].flatMap(nonEmpty)
    let bind = environment["PAYCAST_BIND"].flatMap(nonEmpty)
    guard port != nil || bind != nil, let number = Int(port ?? "8080"), (1...65_535).contains(number) else {
        return nil
    }
    let isSecure = environment["PAYCAST_TLS_CERT"].flatMap(nonEmpty) != nil
    return ServerAddress(bind: bind ?? "127.0.0.1", port: number, isSecure: isSecure).own
}

/// The working folder's `.paycast/`, where a development server leaves what the other commands need.
private enum Workspace {
    /// The address on which the server listens.
    static var address: String? { firstLine(of: "address") }
    static var apiKey: String? { firstLine(of: "api.key") }
    static var streamKey: String? { firstLine(of: "stream.key") }

    private static func firstLine(of name: String) -> String? {
        guard let line = try? SmallFile.read(".paycast/\(name)").prefix(while: { $0 >= 32 }) else { return nil }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}

extension StreamNameVerifier {
    /// Signs with the key of this environment's server: the first of PAYCAST_STREAM_KEYS, else SECRET_KEY_BASE, else that
    /// of `.paycast/`. Nil without one.
    public init?(ofEnvironment environment: [String: String]) {
        let key: Key? =
            if let key = Secret.text("PAYCAST_STREAM_KEYS", in: environment).flatMap(firstOfList) {
                .init(text: key)
            } else if let secret = Secret.text("SECRET_KEY_BASE", in: environment).flatMap(firstOfList) {
                .init(secretKeyBase: secret, with: .sha256)
            } else {
                Workspace.streamKey.map { .init(text: $0) }
            }
        self.init(keys: [key].compactMap { $0 })
    }
}
