internal import Domain
internal import HTTPClient
internal import Server
internal import Settings

/// The server that a client command talks to, and the key that it presents there.
struct Remote {
    /// Where the address comes from.
    enum Source {
        case option
        case environment
        /// `.paycast/address` in this folder: a development server listens there, or once did.
        case workspace
        /// No one named it: a server on this machine, at the usual port.
        case none
    }

    /// Without a trailing slash.
    let url: String
    let source: Source
    let key: String?
    /// The option, variable or file that holds the key.
    let keyName: String?
    /// Whether the address is that of this folder's development server, whatever its source.
    let isOfThisFolder: Bool

    /// Takes `--server` and `--key`, else the environment, else `.paycast/`, else this machine.
    init(
        _ arguments: inout Arguments,
        environment: [String: String] = processEnvironment(),
        workspace: Workspace = Workspace()
    ) throws(UsageError) {
        let addresses: [(Source, name: String, value: String?)] = [
            (.option, "--server", try arguments.option("--server")),
            (.environment, clientAddressVariable, environment[clientAddressVariable].flatMap(nonEmpty)),
            (.workspace, ".paycast/address", workspace.address),
        ]
        let named = addresses.first { $0.value != nil }
        let address = named?.value ?? "http://127.0.0.1:8080"
        guard ["http://", "https://"].contains(where: { address.hasPrefix($0) && address != $0 }) else {
            let name = named?.name ?? ""
            throw UsageError("\(name) is an address such as https://pay.example.com, not \(quoted(address))")
        }
        url = withoutSlash(address)
        source = named?.0 ?? .none
        isOfThisFolder = workspace.address.map(withoutSlash) == url
        let keys: [(name: String, value: String?)] = [
            ("--key", try arguments.option("--key")),
            ("PAYCAST_API_KEY", Secret.text("PAYCAST_API_KEY", in: environment).flatMap(firstOfList)),
            (".paycast/api.key", workspace.apiKey),
        ]
        let shown = keys.first { $0.value != nil }
        key = shown?.value
        keyName = shown?.name
    }

    var authorization: [(String, String)] {
        key.map { [("Authorization", "Bearer \($0)")] } ?? []
    }

    /// Posts JSON and returns the answer's body; any status but 2xx is a failure.
    func post(_ path: String, _ body: JSONValue, timeout: Duration = .seconds(30)) throws(CommandFailure) -> [UInt8] {
        try bodyOfSuccess(response(toPosting: body, at: path, timeout: timeout))
    }

    func get(_ path: String, timeout: Duration = .seconds(30)) throws(CommandFailure) -> [UInt8] {
        try bodyOfSuccess(send("GET", path, [], nil, timeout))
    }

    /// Returns the answer with any status, for errors that say more than their reason.
    func response(
        toPosting body: JSONValue,
        at path: String,
        timeout: Duration
    ) throws(CommandFailure) -> HTTPClient.Response {
        try send("POST", path, [("Content-Type", "application/json")], body.bytes, timeout)
    }

    private func bodyOfSuccess(_ response: HTTPClient.Response) throws(CommandFailure) -> [UInt8] {
        guard (200...299).contains(response.status) else {
            throw failure(status: response.status, body: response.body)
        }
        return response.body
    }

    private func send(
        _ method: String,
        _ path: String,
        _ headers: [(String, String)],
        _ body: [UInt8]?,
        _ timeout: Duration
    ) throws(CommandFailure) -> HTTPClient.Response {
        do throws(HTTPClientError) {
            let client = HTTPClient(timeout: timeout)
            return try client.send(method, url + path, headers: authorization + headers, body: body)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// What a refusal means, and what to do about it.
    func failure(status: Int, body: [UInt8]) -> CommandFailure {
        if status == 401 {
            return CommandFailure(
                key == nil
                    ? "no API key: say --key, set PAYCAST_API_KEY, or run this where the development server runs"
                    : "the server at \(url) does not know this API key (\(keyName ?? "--key")): check --key or "
                        + "PAYCAST_API_KEY"
            )
        }
        let answer = JSONValue(body)
        guard let code = answer?["error"]?.words else {
            return CommandFailure("\(url) answers \(status): is that a Paycast server?")
        }
        return CommandFailure(
            "the server refuses (\(status) \(code)): \(answer?["message"]?.words ?? "no reason given")"
        )
    }
}

private func withoutSlash(_ address: String) -> String {
    address.hasSuffix("/") ? String(address.dropLast()) : address
}

private func nonEmpty(_ text: String) -> String? {
    text.isEmpty ? nil : text
}

/// A list is for rotation: its first key is the one to use.
func firstOfList(_ list: String) -> String? {
    list.split(separator: ",").lazy.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        .first { !$0.isEmpty }
}
