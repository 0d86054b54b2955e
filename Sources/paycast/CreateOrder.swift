internal import Domain
internal import Stores

/// Creates the token that a purchase carries.
struct CreateOrder: Command {
    static let name = "order"

    private let remote: Remote
    private let body: [String: JSONValue]
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try Remote(&arguments)
        printsJSON = try arguments.flag("--json")
        var body: [String: JSONValue] = [:]
        for name in ["user", "product", "group", "token"] {
            if let value = try arguments.option("--" + name) { body[name] = .text(value) }
        }
        let provider = try arguments.choice("--provider", among: Stores.names)
        let kind = try arguments.choice("--kind", among: ProductKind.allCases.map(\.rawValue))
        body["provider"] = provider.map { .text($0) }
        body["kind"] = kind.map { .text($0) }
        for name in ["user", "product"] where body[name] == nil { throw UsageError("--\(name) is missing") }
        if let token = body["token"]?.words, OrderToken(token) == nil {
            throw UsageError("--token is a UUID, not \(quoted(token))")
        }
        self.body = body
    }

    func run() throws(CommandFailure) -> Int32 {
        let bytes = try remote.post("/orders", .object(body))
        guard !printsJSON, let answer = JSONValue(bytes) else {
            printText(String(decoding: bytes, as: UTF8.self))
            return 0
        }
        for name in ["order", "user", "product", "stream", "signed_stream", "since", "sse", "websocket"] {
            guard let words = answer[name]?.words else { continue }
            printText(name + String(repeating: " ", count: 15 - name.count) + words)
        }
        return 0
    }
}
