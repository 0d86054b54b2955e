import Domain
import Encoding
import HTTPClient
import Support
import TestSupport
import Testing

@testable import Simulator

/// Servers that share one ledger in PostgreSQL, and the calls that an app would make.
final class PostgresNodes: Sendable {
    private static let apiKey = "key-of-the-tests-0123456789abcdef"
    let cluster: PostgresCluster
    let nodes: [PaycastServer]
    /// The signed name of a user's stream, which every node knows.
    let stream: String

    struct Refused: Error, Equatable {
        var status: Int
        /// Seconds.
        var retryAfter: String?
    }

    /// `url` is the cluster's own unless it is given, and `ports` are where the first nodes reach it, if not directly.
    /// `environments`: what each node has besides, in the nodes' order. `program`: another than `paycast`. `sockets`: what the
    /// first nodes inherit.
    init(
        _ count: Int = 2,
        cluster: PostgresCluster? = nil,
        url: String? = nil,
        ports: [Int] = [],
        publicFolder: String = PaycastProgram.root + "/public",
        program: String = PaycastProgram.path,
        environments: [[String: String]] = [],
        sockets: [HeldSocket] = []
    ) throws {
        let cluster = try cluster ?? PostgresCluster()
        self.cluster = cluster
        nodes = try (0..<count).map { index in
            let own = index < environments.count ? environments[index] : [:]
            let through = index < ports.count ? "postgres://paycast@127.0.0.1:\(ports[index])/postgres" : nil
            let environment = [
                "DATABASE_URL": through ?? url ?? cluster.url, "PAYCAST_API_KEY": PostgresNodes.apiKey,
                "PAYCAST_STREAM_KEYS": "stream-key-of-the-tests-0123456789",
            ]
            return try PaycastServer(
                publicFolder: publicFolder,
                program: program,
                environment: environment.merging(own) { _, own in own },
                inheriting: index < sockets.count ? sockets[index] : nil
            )
        }
        let answer = try PostgresNodes.call("GET", "/users/42/stream", on: nodes[0])
        stream = JSONNode(String(decoding: answer.body, as: UTF8.self))?["signed_stream"]?.text ?? ""
    }

    subscript(index: Int) -> PaycastServer { nodes[index] }

    /// Returns the cursor. Throws when the node refuses.
    @discardableResult
    func broadcast(_ text: String, through node: Int) throws -> String {
        let body = #"{"user":"42","action":"update","target":"card","html":"\#(text)"}"#
        let answer = try PostgresNodes.call("POST", "/broadcasts", on: nodes[node], body: body)
        guard answer.status == 202 else {
            throw Refused(status: answer.status, retryAfter: answer.header("Retry-After"))
        }
        guard case .array(let cursors)? = JSONNode(String(decoding: answer.body, as: UTF8.self))?["cursors"] else {
            return ""
        }
        return cursors.first?.text ?? ""
    }

    /// What the node answers to a call of the app.
    @discardableResult
    func ask(_ method: String, _ path: String, body: String = "", on node: Int) throws -> String {
        let answer = try PostgresNodes.call(method, path, on: nodes[node], body: body)
        guard (200..<300).contains(answer.status) else { throw Refused(status: answer.status) }
        return String(decoding: answer.body, as: UTF8.self)
    }

    func page(on node: Int, since cursor: String? = nil) throws -> EventStreamClient {
        let since = cursor.map { "&since=\($0)" } ?? ""
        return try EventStreamClient(port: nodes[node].port, path: "/streams?name=\(stream)\(since)")
    }

    /// What `/ready` says is wrong.
    func problems(of node: Int) throws -> String {
        String(decoding: try PostgresNodes.call("GET", "/ready", on: nodes[node]).body, as: UTF8.self)
    }

    /// Waits until it takes a broadcast, whose cursor it returns.
    @discardableResult
    func wait(for text: String, through node: Int) throws -> String {
        var cursor: String?
        try Deadline(.seconds(60)).wait(for: "commits") {
            cursor = try? broadcast(text, through: node)
            return cursor != nil
        }
        return cursor ?? ""
    }

    /// The epochs under which a node has served, in order.
    func epochs(of node: Int) -> [String] {
        nodes[node].process.errors.split(separator: "\n").filter { $0.contains(" serving ") }
            .compactMap { $0.split(separator: " ").first { $0.hasPrefix("epoch=") }.map { String($0.dropFirst(6)) } }
    }

    /// Waits until a node serves under another epoch than `epoch`.
    func waitForEpoch(otherThan epoch: some StringProtocol, at node: Int) throws {
        _ = try nodes[node].process.errorLine(timeout: .seconds(60)) {
            $0.contains(" serving ") && !$0.contains("epoch=\(epoch)")
        }
    }

    /// Waits until broadcasts of Rails arrive there. On a busy machine they may have counted as lost before.
    func waitForCable(of node: Int) throws {
        _ = try nodes[node].process.errorLine {
            $0.contains("rails cable connected") || $0.contains("rails cable is back")
        }
    }

    private static func call(
        _ method: String,
        _ path: String,
        on node: PaycastServer,
        body: String = ""
    ) throws -> HTTPClient.Response {
        try call(method, to: node.url + path, body: body)
    }

    /// With the API's key, which a store's own header replaces.
    static func call(
        _ method: String,
        to url: String,
        headers: [(String, String)] = [],
        body: String = ""
    ) throws -> HTTPClient.Response {
        let isAuthorized = headers.contains { $0.0 == "Authorization" }
        let own = [("Authorization", "Bearer \(apiKey)")].filter { _ in !isAuthorized }
        return try HTTPClient(timeout: .seconds(60)).send(
            method,
            to: url,
            headers: own + [("Content-Type", "application/json")] + headers,
            body: Array(body.utf8)
        )
    }
}

extension PostgresNodes {
    /// What a store tells that node of a purchase of its own; with `accessUntil`, that it will not be renewed.
    func purchase(_ id: String, at node: Int, accessUntil: Instant? = nil) throws -> SimulatedDelivery {
        let workspace = try DevelopmentWorkspace.existing(in: nodes[node].folder.path)
        let store = SimulatedRevenueCat(workspace)
        var facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "lineage-\(id)")
        facts.accessUntil = accessUntil
        if accessUntil != nil { facts.state = .active }
        return try store.delivery(
            SimulatedEvent(
                type: accessUntil == nil ? "INITIAL_PURCHASE" : "CANCELLATION",
                subtype: accessUntil == nil ? nil : "UNSUBSCRIBE",
                facts: facts,
                user: "buyer",
                now: Clock().now(),
                id: id
            )
        )
    }

    /// Everything that was committed, in order: broadcasts by their text, events by the store's id.
    func log(in other: PostgresCluster? = nil) throws -> [HistoryChecker.Entry] {
        let rows = try (other ?? cluster).psql(
            """
            SELECT head.epoch || '-' || entries.position, body IS NOT NULL,
                COALESCE(convert_from(body, 'UTF8'), event, entries.kind || entries.position)
            FROM paycast.head, paycast.entries
                LEFT JOIN paycast.fragments ON fragments.position = entries.position AND stream LIKE 'user:42:%'
            ORDER BY entries.position
            """
        )
        return rows.split(separator: "\n").map { row in
            let columns = row.split(separator: "|", maxSplits: 2).map(String.init)
            return HistoryChecker.Entry(cursor: columns[0], event: columns[2], isShown: columns[1] == "t")
        }
    }
}

extension HTTPClient.Response {
    var json: JSONNode? { JSONNode(String(decoding: body, as: UTF8.self)) }
}

extension EventStreamClient {
    /// Reads on until a message holds `text`; returns the cursors on the way.
    @discardableResult
    func cursors(until text: String) throws -> [String] {
        var cursors: [String] = []
        while true {
            let message = try message()
            if let cursor = message.id { cursors.append(cursor) }
            if message.data?.contains(text) == true { return cursors }
        }
    }
}

extension EventStreamClient {
    /// The broadcasts up to the last one. Beside them, the first node makes pages reload when it begins to lead.
    func broadcasts(until last: String) throws -> [String] {
        var texts: [String] = []
        while texts.last?.contains(last) != true {
            let text = try #require(try message().data)
            if !text.contains("refresh") { texts.append(text) }
        }
        return texts
    }
}
