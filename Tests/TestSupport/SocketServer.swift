internal import Concurrency
internal import Glibc

/// A server on any free port of loopback that does with each connection what the test says, one after the other.
public final class SocketServer: Sendable {
    public let port: Int
    private let listener: Int32
    private let thread: WorkerThread

    /// `serve` runs on the server's thread; what it throws ends the connection.
    public init(_ serve: @escaping @Sendable (RawSocket) throws -> Void) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        port = listen(on: listener)
        thread = WorkerThread(name: "test server") {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                try? serve(RawSocket(adopting: descriptor))
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        close(listener)
    }

    public var url: String { "http://127.0.0.1:\(port)" }

    /// A port of loopback where nothing listens: it was free a moment ago.
    public static func freePort() -> Int {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        return listen(on: probe)
    }
}

private func listen(on descriptor: Int32) -> Int {
    var address = sockaddr_in.loopback(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withSocketAddress(&address) { bind(descriptor, $0, $1) == 0 && Glibc.listen(descriptor, 64) == 0 }
    _ = withSocketAddress(&address) { pointer, _ in getsockname(descriptor, pointer, &size) }
    precondition(isListening, "no free port on loopback: \(errno)")
    return Int(in_port_t(bigEndian: address.sin_port))
}
