import Domain
import Encoding
import Support
import TestSupport

@testable import Simulator

/// What an app, its page or its backend posts to a development server, beside the store's webhook.
struct AppPost {
    struct Answer {
        var status: Int
        var head: String
        var body: String

        var json: JSONNode? { JSONNode(body) }
        subscript(name: String) -> String? { json?[name]?.text }
    }

    let server: PaycastServer
    let workspace: DevelopmentWorkspace
    let store: SimulatedAppStore

    init(_ environment: [String: String] = [:]) throws {
        server = try PaycastServer(environment: environment)
        workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        store = SimulatedAppStore(signer: workspace.signer)
    }

    func post(
        _ path: String,
        body: String,
        isTrusted: Bool = false,
        headers: [(String, String)] = [],
        method: String = "POST"
    ) throws -> Answer {
        var headers = headers + [("Host", "127.0.0.1:\(server.port)"), ("Connection", "close")]
        if isTrusted { headers.append(("Authorization", "Bearer \(workspace.apiKey)")) }
        if method != "GET" && method != "OPTIONS" { headers.append(("Content-Length", "\(body.utf8.count)")) }
        let socket = try server.connect()
        try socket.send("\(method) \(path) HTTP/1.1\r\n\(headers.map { "\($0.0): \($0.1)\r\n" }.joined())\r\n\(body)")
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
        return Answer(
            status: Int(answer.dropFirst(9).prefix(3)) ?? 0,
            head: String(parts.first ?? ""),
            body: parts.count > 1 ? String(parts[1]) : ""
        )
    }

    /// As the backend asks, with its key.
    func get(_ path: String) throws -> Answer { try post(path, body: "", isTrusted: true, method: "GET") }

    /// Members that are texts. `isAsked` if the user tapped for it.
    func post(
        _ path: String,
        members: [String: String],
        isTrusted: Bool = false,
        isAsked: Bool = false
    ) throws -> Answer {
        try post(path, body: AppPost.json(members, isAsked: isAsked), isTrusted: isTrusted)
    }

    static func json(_ members: [String: String], isAsked: Bool = false) -> String {
        let texts = members.map { "\(JSONLiteral.literal($0)):\(JSONLiteral.literal($1))" }
        return "{\((texts + (isAsked ? [#""asked":true"#] : [])).joined(separator: ","))}"
    }

    func webhook(_ notification: SimulatedEvent) throws -> Answer {
        try post("/webhooks/apple", body: String(decoding: try store.body(notification), as: UTF8.self))
    }

    /// From now on the stand-in of Apple's API has it in its history.
    func remember(_ notification: SimulatedEvent) throws -> Answer {
        let delivery = try store.delivery(notification)
        let body = String(decoding: delivery.body, as: UTF8.self)
        return try post("/demo/api/apple/notifications/\(delivery.event)", body: body, method: "PUT")
    }

    /// The signed name of a user's stream, as the user's page has it.
    func stream(of user: String) throws -> String {
        let order = try post("/orders", members: ["user": user, "product": "paycast.pro.monthly"], isTrusted: true)
        return order["signed_stream"] ?? ""
    }

    /// A token that the store will repeat.
    func order(of user: String) throws -> OrderToken? {
        try post("/orders", members: ["user": user, "product": "paycast.pro.monthly"], isTrusted: true)["order"]
            .flatMap { OrderToken($0) }
    }

    func page(_ user: String) throws -> EventStreamClient {
        try EventStreamClient(port: server.port, path: "/streams?name=\(try stream(of: user))")
    }

    /// What the pages of a user were told up to now, one line each; a broadcast of our own is the end.
    func told(_ page: EventStreamClient, of user: String) throws -> [String] {
        let mark = #"<turbo-stream action="remove" target="mark"></turbo-stream>"#
        _ = try post("/broadcasts", members: ["user": user, "html": mark], isTrusted: true)
        var told: [String] = []
        while true {
            guard let data = try page.message().data, data != mark else { return told }
            told.append(data)
        }
    }

    func entitlements(of user: String) throws -> String {
        try post("/users/\(user)/entitlements", body: "", isTrusted: true, method: "GET").body
    }

    /// A subscription that is bought `ago` seconds before now.
    func purchase(_ lineage: String, token: OrderToken? = nil, ago: Int64 = 600) -> SimulatedEvent {
        SimulatedEvent(
            type: "SUBSCRIBED",
            subtype: "INITIAL_BUY",
            facts: SimulatedSubscription(product: "paycast.pro.monthly", lineage: lineage),
            token: token,
            now: Clock().now() - .seconds(ago),
            id: OrderToken.random().description
        )
    }
}

extension String {
    /// How many contracts of grants an answer about a user lists.
    var grantCount: Int { ranges(of: /"pending_product":null,"product":"[^"]*","provider":"paycast"/).count }
}

extension JSONNode {
    /// Of an array.
    var items: [JSONNode]? {
        guard case .array(let items) = self else { return nil }
        return items
    }
}
