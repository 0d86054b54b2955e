public import Crypto
import Glibc
public import HTTP
public import HTTPClient

/// A receiver of webhooks for development: it takes one request after the other on this machine's loopback, and answers
/// as it is told.
public struct HookListener {
    /// A message may hold the entitlements of a user with a hundred purchases.
    private static let bodyLimit = 4 << 20
    /// How long a sender may be silent, in milliseconds.
    private static let patience: Int32 = 10_000

    /// A request whose body has arrived.
    public struct Request {
        public let head: RequestHead
        public let body: [UInt8]
    }

    private let socket: Int32
    public let port: Int

    /// Port 0 is any free one.
    public init(port: Int) throws(CommandFailure) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var isReused: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, size) == 0 && listen(socket, 64) == 0 && getsockname(socket, pointer, &size) == 0
            }
        }
        guard isListening else {
            close(socket)
            throw CommandFailure("port \(port) is taken: choose another one with --port")
        }
        self.socket = socket
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Answers requests until the program ends; `answer` returns a status and a line of text.
    public func run(_ answer: (Request) -> (status: Int, text: String)) -> Never {
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { continue }
            if let request = HookListener.read(from: connection) {
                let (status, text) = answer(request)
                let body = text + "\n"
                HookListener.write(
                    "HTTP/1.1 \(status) \(status < 300 ? "OK" : "Refused")\r\nContent-Type: text/plain\r\n"
                        + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)",
                    to: connection
                )
            }
            close(connection)
        }
    }

    /// Nil for what is no request, or does not arrive.
    private static func read(from connection: Int32) -> Request? {
        var buffer = RequestBuffer()
        var head: RequestHead?
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            if head == nil { head = try? buffer.takeHead() }
            if let head {
                guard !head.hasTransferEncoding, let length = head.contentLength, length <= bodyLimit else {
                    return nil
                }
                if let body = buffer.takeBody(length) { return Request(head: head, body: body) }
            }
            var readable = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard poll(&readable, 1, patience) > 0 else { return nil }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            chunk.withUnsafeBytes { buffer.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    private static func write(_ text: String, to connection: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension HookListener.Request {
    private static let forwarded: [StaticString] = [
        "content-type", "webhook-id", "webhook-timestamp", "webhook-signature", "user-agent",
    ]

    /// `webhook-id`; empty without that header.
    public var id: String { head.field(named: "webhook-id") ?? "" }

    /// Nil if it is a message that the secret's owner signed just now.
    public func flaw(for signer: WebhookSigner, now: Int64) -> String? {
        let time = head.field(named: "webhook-timestamp") ?? ""
        let signature = head.field(named: "webhook-signature") ?? ""
        if id.isEmpty || time.isEmpty || signature.isEmpty {
            return "it lacks webhook-id, webhook-timestamp or webhook-signature"
        }
        guard signer.verifies(signature, id: id, time: time, body: body) else {
            return "its signature is of another secret, or its body was changed"
        }
        if let seconds = Int64(time), abs(now - seconds) <= WebhookSigner.tolerance { return nil }
        return "it was signed more than \(WebhookSigner.tolerance) s before or after this machine's time"
    }

    /// Passes it on to a server under development, with its headers and its bytes. Answers what that does; 502 if it does
    /// not.
    public func forward(to address: String, with client: HTTPClient) -> (status: Int, text: String) {
        let headers = HookListener.Request.forwarded.compactMap { name in
            head.field(named: name).map { ("\(name)", $0) }
        }
        do throws(HTTPClientError) {
            let answer = try client.send("POST", to: address, headers: headers, body: body, cuttingBodyAt: 1024)
            return (answer.status, "forwarded, answered \(answer.status)")
        } catch {
            return (502, "\(error)")
        }
    }
}
