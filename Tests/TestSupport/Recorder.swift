internal import Synchronization

/// A server that gives every request the same answer, ends the connection, and remembers what it was asked.
public final class Recorder: Sendable {
    private let received: Requests
    private let server: SocketServer

    /// `answer` is sent as it is.
    public init(_ answer: String) {
        let received = Requests()
        self.received = received
        server = SocketServer { socket in
            let head = try socket.read(until: "\r\n\r\n")
            let body = try socket.read(count: contentLength(head))
            received.list.withLock { $0.append(head + String(decoding: body, as: UTF8.self)) }
            try socket.send(answer)
        }
    }

    public var url: String { server.url }

    /// Head and body of each, oldest first.
    public var requests: [String] { received.list.withLock { $0 } }
}

private final class Requests: Sendable {
    let list = Mutex<[String]>([])
}

private func contentLength(_ head: String) -> Int {
    let line = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
    return line.flatMap { Int($0.dropFirst("content-length:".count).drop(while: \.isWhitespace)) } ?? 0
}
