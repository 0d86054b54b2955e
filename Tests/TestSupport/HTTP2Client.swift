/// HTTP/2 over TLS, frame by frame, with nothing smoothed over: credit and acknowledgements are the test's to send.
public final class HTTP2Client {
    public let socket: RawSocket
    private let tunnel: TLSSocket
    private var received: ArraySlice<UInt8> = []

    /// Sends the preface and `settings`.
    public init(
        port: Int,
        settings: [(id: UInt16, value: UInt32)] = [],
        timeout: Duration = .seconds(30)
    ) throws(RawSocketError) {
        tunnel = TLSSocket(port: port, options: ["-alpn", "h2"], timeout: timeout)
        socket = tunnel.socket
        try socket.send(HTTP2Frame.preface + HTTP2Frame.settings(settings).bytes)
    }

    public func send(_ frames: HTTP2Frame...) throws(RawSocketError) {
        try socket.send(frames.flatMap(\.bytes))
    }

    public func frame() throws(RawSocketError) -> HTTP2Frame {
        while true {
            if let (frame, count) = HTTP2Frame.first(in: received) {
                received = received.dropFirst(count)
                return frame
            }
            let bytes = try socket.readSome()
            guard !bytes.isEmpty else { throw .closed }
            received += bytes
        }
    }

    public func frame(_ kind: HTTP2Frame.Kind, stream: UInt32) throws(RawSocketError) -> HTTP2Frame {
        while true {
            let frame = try frame()
            if frame.kind == kind, frame.stream == stream { return frame }
        }
    }

    /// The body of one stream up to and including `mark`, without heartbeats.
    public func text(_ stream: UInt32, until mark: String) throws(RawSocketError) -> String {
        var text = ""
        while !text.withoutHeartbeats.contains(mark) {
            text += String(decoding: try frame(.data, stream: stream).payload, as: UTF8.self)
        }
        return text.withoutHeartbeats
    }

    /// What comes until the server ends the connection.
    public func framesToEnd() throws(RawSocketError) -> [HTTP2Frame] {
        received += try socket.readToEndOrReset()
        return HTTP2Frame.all(in: Array(received))
    }
}

extension String {
    /// Server-Sent Events without the `:` that comes every 15 s, the first time at any moment.
    public var withoutHeartbeats: String {
        split(separator: "\n\n", omittingEmptySubsequences: false).filter { $0 != ":" }.joined(separator: "\n\n")
    }
}
