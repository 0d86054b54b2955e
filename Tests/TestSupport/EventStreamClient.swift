/// Server-Sent Events over a raw socket, block by block, with nothing smoothed over.
public final class EventStreamClient {
    /// What stands between two blank lines.
    public struct Block: Equatable, Sendable {
        public var id: String?
        public var event: String?
        public var data: String?
        public var retry: String?
        public var comments: [String] = []
    }

    public let status: Int
    public let head: String
    public let socket: RawSocket
    private let isChunked: Bool
    /// Of an answer whose length is told; nil of a stream.
    private var rest: Int?
    private var text: [UInt8] = []

    public convenience init(
        port: Int,
        path: String,
        headers: [(String, String)] = [],
        timeout: Duration = .seconds(30)
    ) throws(RawSocketError) {
        try self.init(over: RawSocket(port: port, timeout: timeout), port: port, path: path, headers: headers)
    }

    /// On a connection that stands already.
    public init(
        over socket: RawSocket,
        port: Int,
        path: String,
        headers: [(String, String)] = []
    ) throws(RawSocketError) {
        self.socket = socket
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        try socket.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: text/event-stream\r\n\(lines)\r\n")
        head = try socket.read(until: "\r\n\r\n")
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        isChunked = head.lowercased().contains("transfer-encoding: chunked")
        let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
        rest = length.flatMap { Int($0.dropFirst("content-length: ".count)) }
    }

    /// The next block of any kind.
    public func block() throws(RawSocketError) -> Block {
        try block(by: nil)
    }

    private func block(by deadline: Deadline?) throws(RawSocketError) -> Block {
        var block = Block()
        while true {
            let line = try line(by: deadline)
            if line.isEmpty { return block }
            let name = line.prefix { $0 != ":" }
            var value = line.dropFirst(name.count + 1)
            if value.first == " " { value.removeFirst() }
            switch name {
            case "": block.comments.append(String(value))
            case "id": block.id = String(value)
            case "event": block.event = String(value)
            case "retry": block.retry = String(value)
            case "data": block.data = (block.data.map { $0 + "\n" } ?? "") + value
            default: break
            }
        }
    }

    /// The next block with data, skipping heartbeats and blocks of an id alone. Heartbeats do not extend the deadline.
    public func message() throws(RawSocketError) -> Block {
        let deadline = Deadline(socket.timeout)
        var received: [String] = []
        while true {
            do throws(RawSocketError) {
                let block = try block(by: deadline)
                if block.data != nil { return block }
                received.append("\(block)")
            } catch {
                guard error == .timedOut, !received.isEmpty else { throw error }
                throw .noMessage(received: received)
            }
        }
    }

    /// Whether nothing but comments and ids comes until the server ends the stream.
    public func messagesToEnd() throws(RawSocketError) -> [Block] {
        var blocks: [Block] = []
        while true {
            do throws(RawSocketError) {
                blocks.append(try message())
            } catch {
                guard error == .closed else { throw error }
                return blocks
            }
        }
    }

    private func line(by deadline: Deadline?) throws(RawSocketError) -> String {
        while true {
            if let end = text.firstIndex(of: 10) {
                var line = text[..<end]
                if line.last == 13 { line.removeLast() }
                let result = String(decoding: line, as: UTF8.self)
                text.removeFirst(end + 1)
                return result
            }
            try fill(by: deadline)
        }
    }

    private func fill(by deadline: Deadline?) throws(RawSocketError) {
        if let rest {
            guard rest > 0 else { throw .closed }
            text += try socket.read(count: rest, by: deadline)
            self.rest = 0
            return
        }
        guard isChunked else {
            let bytes = try socket.readSome(by: deadline)
            guard !bytes.isEmpty else { throw .closed }
            text += bytes
            return
        }
        let size = try socket.read(until: "\r\n", by: deadline).prefix { $0.isHexDigit }
        guard let count = Int(size, radix: 16), count > 0 else { throw .closed }
        text += try socket.read(count: count + 2, by: deadline).dropLast(2)
    }
}
