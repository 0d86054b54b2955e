import Synchronization

/// An HTTP server on loopback whose answers a closure makes; it remembers what it was asked.
public final class AnsweringServer: Sendable {
    public struct Request: Sendable {
        public var method: String
        /// Without the query.
        public var path: String
        public var query: String
        public var head: String
        public var body: String

        /// A header, whose name ignores case.
        public func header(_ name: String) -> String? {
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            return line.map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
        }

        /// A query parameter without escapes.
        public func parameter(_ name: String) -> String? {
            let pair = query.split(separator: "&").first { $0.hasPrefix(name + "=") }
            return pair.map { String($0.dropFirst(name.count + 1)) }
        }
    }

    public struct Answer: Sendable {
        /// None at all: the connection stays open until the client leaves.
        public static let silence = Answer(0)

        public var status: Int
        public var headers: [(String, String)]
        public var body: [UInt8]

        public init(_ status: Int, body: String = "", headers: [(String, String)] = []) {
            self.init(status, body: Array(body.utf8), headers: headers)
        }

        public init(_ status: Int, body: [UInt8], headers: [(String, String)] = []) {
            self.status = status
            self.body = body
            self.headers = headers
        }
    }

    private final class Seen: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private let seen = Seen()
    private let server: SocketServer

    public init(_ answer: @escaping @Sendable (Request) -> Answer) {
        server = SocketServer { [seen] socket in
            let head = try socket.read(until: "\r\n\r\n")
            let words = head.split(separator: " ", maxSplits: 2).map(String.init)
            let target = words[1].split(separator: "?", maxSplits: 1).map(String.init)
            var request = Request(method: words[0], path: target[0], query: "", head: head, body: "")
            if target.count > 1 { request.query = target[1] }
            let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
            request.body = String(decoding: try socket.read(count: length), as: UTF8.self)
            seen.requests.withLock { $0.append(request) }
            let answer = answer(request)
            guard answer.status > 0 else {
                _ = try socket.readToEnd()
                return
            }
            let headers = answer.headers.map { "\($0.0): \($0.1)\r\n" }.joined()
            let start = "HTTP/1.1 \(answer.status) Status\r\nContent-Length: \(answer.body.count)\r\n"
            try socket.send("\(start)\(headers)Connection: close\r\n\r\n")
            try socket.send(answer.body)
        }
    }

    public var url: String { server.url }
    public var port: Int { server.port }
    /// Oldest first.
    public var requests: [Request] { seen.requests.withLock { $0 } }
}
