import Glibc
import Support

/// A server on any free port of loopback that does with each connection what the test says, one after the other.
public final class SocketServer: Sendable {
    public let port: Int
    private let listener: Int32
    private let thread: WorkerThread

    /// `serve` runs on the server's thread; what it throws ends the connection.
    public init(_ serve: @escaping @Sendable (RawSocket) throws -> Void) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        port = bindToAnyPort(listener)
        listen(listener, 64)
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
}
