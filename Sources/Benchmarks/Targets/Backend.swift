import Glibc

/// The app's backend on the load generator's thread: it believes and accepts every message, or refuses all of them.
final class Backend: LoadClient {
    private static let accepting = answer("204 No Content")
    private static let refusing = answer("503 Service Unavailable")

    let url: String
    var isUp = true
    private(set) var accepted = 0
    private(set) var refused = 0
    /// Called with the body of each message that is accepted.
    var onMessage: ((ArraySlice<UInt8>) -> Void)?

    private let listener: Int32
    private var rests: [Int32: [UInt8]] = [:]
    private var tag: UInt64 = 0

    init(on loop: LoadLoop) throws(BenchmarkError) {
        let (listener, port) = try Sockets.listen()
        self.listener = listener
        url = "http://127.0.0.1:\(port)/hooks"
        tag = loop.register(self)
        loop.poller.add(listener, for: .read, tag: tag | UInt64(listener))
    }

    deinit {
        for descriptor in rests.keys { close(descriptor) }
        close(listener)
    }

    func react(_ index: Int, on loop: LoadLoop) {
        let descriptor = Int32(index)
        if descriptor == listener { accept(on: loop) } else { receive(descriptor) }
    }

    private func accept(on loop: LoadLoop) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            Sockets.setNonBlocking(descriptor)
            Sockets.disableDelay(descriptor)
            rests[descriptor] = []
            loop.poller.add(descriptor, for: .read, tag: tag | UInt64(descriptor))
        }
    }

    private func receive(_ descriptor: Int32) {
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        guard !bytes.isEmpty else {
            rests[descriptor] = nil
            close(descriptor)
            return
        }
        var rest = rests[descriptor, default: []] + bytes
        while let end = Backend.endOfMessage(rest) {
            if isUp { accepted += 1 } else { refused += 1 }
            if isUp { onMessage?(rest[..<end.body][end.head...]) }
            _ = Sockets.send(isUp ? Backend.accepting : Backend.refusing, to: descriptor)
            rest.removeFirst(end.body)
        }
        rests[descriptor] = rest
    }

    /// Where the first message's head and body end; nil until it is complete.
    private static func endOfMessage(_ bytes: [UInt8]) -> (head: Int, body: Int)? {
        guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound,
            let length = bytes.firstRange(of: Array("\r\nContent-Length: ".utf8))?.upperBound
        else { return nil }
        let digits = bytes[length...].prefix { (48...57).contains($0) }
        let body = head + digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        return bytes.count < body ? nil : (head, body)
    }

    private static func answer(_ status: String) -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n".utf8)
    }
}
