import Synchronization

/// A server that gives each request the next of its answers (the last one again and again), ends the connection, and
/// remembers what it was asked.
public final class Recorder: Sendable {
    private let received: Requests
    private let server: SocketServer

    /// Answers are sent as they are.
    public convenience init(_ answer: String) {
        self.init([answer])
    }

    /// With `staysOpen` a connection lasts until the client ends it.
    public init(_ answers: [String], staysOpen: Bool = false) {
        let received = Requests()
        self.received = received
        server = SocketServer { socket in
            let head = try socket.read(until: "\r\n\r\n")
            let body = try socket.read(count: contentLength(head))
            let number = received.add(head + String(decoding: body, as: UTF8.self))
            try socket.send(answers[min(number, answers.count) - 1])
            if staysOpen { _ = try socket.readToEnd() }
        }
    }

    public var url: String { server.url }

    /// Head and body of each, oldest first.
    public var requests: [String] { received.list.withLock { $0 } }
}

private final class Requests: Sendable {
    let list = Mutex<[String]>([])

    /// Returns how many there are now.
    func add(_ request: String) -> Int {
        list.withLock {
            $0.append(request)
            return $0.count
        }
    }
}

private func contentLength(_ head: String) -> Int {
    let line = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
    return line.flatMap { Int($0.dropFirst("content-length:".count).drop(while: \.isWhitespace)) } ?? 0
}
