import Encoding
import HTTPClient
import TestSupport

/// Servers that share one ledger in PostgreSQL, and the calls that an app would make.
final class PostgresNodes {
    private static let apiKey = "key-of-the-tests-0123456789abcdef"
    let cluster: PostgresCluster
    let nodes: [PaycastServer]
    /// The signed name of a user's stream, which every node knows.
    let stream: String

    struct Refused: Error, Equatable {
        var status: Int
    }

    init(_ count: Int = 2, cluster: PostgresCluster? = nil) throws {
        let cluster = try cluster ?? PostgresCluster()
        self.cluster = cluster
        let environment = [
            "DATABASE_URL": cluster.url, "PAYCAST_API_KEY": PostgresNodes.apiKey,
            "PAYCAST_STREAM_KEYS": "stream-key-of-the-tests-0123456789",
        ]
        nodes = try (0..<count).map { _ in try PaycastServer(environment: environment) }
        let answer = try PostgresNodes.call("GET", "/users/42/stream", on: nodes[0])
        stream = JSONNode(String(decoding: answer.body, as: UTF8.self))?["signed_stream"]?.text ?? ""
    }

    subscript(index: Int) -> PaycastServer { nodes[index] }

    /// Returns the cursor. Throws when the node refuses.
    @discardableResult
    func broadcast(_ text: String, through node: Int) throws -> String {
        let body = #"{"user":"42","action":"update","target":"card","html":"\#(text)"}"#
        let answer = try PostgresNodes.call("POST", "/broadcasts", on: nodes[node], body: body)
        guard answer.status == 202 else { throw Refused(status: answer.status) }
        guard case .array(let cursors)? = JSONNode(String(decoding: answer.body, as: UTF8.self))?["cursors"] else {
            return ""
        }
        return cursors.first?.text ?? ""
    }

    func page(on node: Int, since cursor: String? = nil) throws -> EventStreamClient {
        let since = cursor.map { "&since=\($0)" } ?? ""
        return try EventStreamClient(port: nodes[node].port, path: "/streams?name=\(stream)\(since)")
    }

    /// What `/ready` says is wrong.
    func problems(of node: Int) throws -> String {
        String(decoding: try PostgresNodes.call("GET", "/ready", on: nodes[node]).body, as: UTF8.self)
    }

    private static func call(
        _ method: String,
        _ path: String,
        on node: PaycastServer,
        body: String = ""
    ) throws -> HTTPClient.Response {
        let headers = [("Authorization", "Bearer \(apiKey)"), ("Content-Type", "application/json")]
        return try HTTPClient(timeout: .seconds(20)).send(
            method,
            to: node.url + path,
            headers: headers,
            body: Array(body.utf8)
        )
    }
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
