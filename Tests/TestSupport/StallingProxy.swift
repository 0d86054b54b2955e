import Glibc
import Support
import Synchronization

/// Passes any number of TCP connections on, and can let those hang on which a client has said something: they stay open,
/// and nothing passes any more.
public final class StallingProxy: Sendable {
    private struct State {
        /// What marks the connections that hang.
        var word: [UInt8]?
        var isClosed = false
        var stalled = 0
        var running = 0
    }

    public let port: Int
    private let listener: Int32
    private let state: Monitor<State>
    private let thread: WorkerThread

    public init(toPort target: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        port = bindToAnyPort(listener)
        listen(listener, 64)
        let state = Monitor(State())
        self.state = state
        thread = WorkerThread(name: "stalling proxy") {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                state.change { $0.running += 1 }
                WorkerThread.detach(name: "stalling proxy") {
                    StallingProxy.serve(client, target: target, state)
                    state.change { $0.running -= 1 }
                }
            }
        }
    }

    deinit {
        state.change { $0.isClosed = true }
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        state.wait { $0.running == 0 ? () : nil }
        close(listener)
    }

    /// Those connections hang on which the client has said `word` by now, or says it later.
    public func stall(_ word: String) {
        state.change { $0.word = Array(word.utf8) }
    }

    /// New connections pass. Those that hang go on hanging.
    public func restore() {
        state.change { $0.word = nil }
    }

    /// Waits until so many connections hang.
    public func waitUntilStalled(_ count: Int = 1) {
        state.wait { $0.stalled >= count ? () : nil }
    }

    private static func serve(_ client: Int32, target: Int, _ state: Monitor<State>) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer {
            close(client)
            close(server)
        }
        var address = sockaddr_in.loopback(port: target)
        guard withSocketAddress(&address, body: { connect(server, $0, $1) }) == 0 else { return }
        // What the client said first: its name is in there.
        var said: [UInt8] = []
        while true {
            var requests = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Wakes to see whether it is to hang.
            let count = poll(&requests, 2, 10)
            let (word, isClosed) = state.withLock { ($0.word, $0.isClosed) }
            if isClosed { return }
            if let word, said.firstRange(of: word) != nil {
                state.change { $0.stalled += 1 }
                return state.wait { $0.isClosed ? () : nil }
            }
            guard count > 0 else { continue }
            if requests[0].revents != 0 {
                guard let chunk = pass(from: client, to: server) else { return }
                if said.count < 4096 { said += chunk }
            }
            if requests[1].revents != 0, pass(from: server, to: client) == nil { return }
        }
    }

    /// Nil when the connection has ended.
    private static func pass(from source: Int32, to target: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(source, &chunk, chunk.count, 0)
        guard count > 0 else { return nil }
        var sent = 0
        while sent < count {
            let written = chunk[sent..<count].withUnsafeBytes {
                send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard written > 0 else { return nil }
            sent += written
        }
        return Array(chunk[..<count])
    }
}
