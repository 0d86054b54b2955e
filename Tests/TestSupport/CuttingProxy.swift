import Glibc
import Support
import Synchronization

/// Passes TCP connections on, counts what goes each way, and can cut them after a number of bytes, or hold the answers.
public final class CuttingProxy: Sendable {
    public enum Direction: Sendable {
        case toServer, toClient
    }

    private struct State {
        var budgets: [Direction: Int] = [:]
        var passed: [Direction: Int] = [:]
        var requests = RequestCounter()
        var connections = 0
        var isOnce = false
        var isHeld = false
    }

    private final class Traffic: Sendable {
        let state = Mutex(State())
    }

    public let port: Int
    private let listener: Int32
    private let traffic = Traffic()
    private let thread: WorkerThread

    /// One connection at a time.
    public init(toPort target: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        port = bindToAnyPort(listener)
        listen(listener, 64)
        thread = WorkerThread(name: "test proxy") { [traffic] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                traffic.state.withLock { state in
                    state.connections += 1
                    state.requests.startConnection()
                }
                CuttingProxy.serve(client, target: target, traffic)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
        thread.join()
        close(listener)
    }

    /// Cuts the connection as soon as `count` more bytes have gone that way, and all later ones at once; with `once`,
    /// later ones are whole again.
    public func cut(after count: Int, _ direction: Direction, once: Bool = false) {
        traffic.state.withLock { state in
            state.budgets = [direction: count]
            state.isOnce = once
        }
    }

    public func restore() { traffic.state.withLock { $0.budgets = [:] } }

    /// Passes nothing on to the client until `release`. What was read already may still arrive.
    public func hold() { traffic.state.withLock { $0.isHeld = true } }

    public func release() { traffic.state.withLock { $0.isHeld = false } }

    private func cut() {
        traffic.state.withLock { state in
            state.budgets = [.toServer: 0, .toClient: 0]
            state.isOnce = false
        }
    }

    public func count(_ direction: Direction) -> Int { traffic.state.withLock { $0.passed[direction, default: 0] } }

    /// How often a client of PostgreSQL asked for an answer: its round trips, and what it sent without waiting.
    /// The times at which bytes came say less: a long request may be answered while it is still being sent.
    public var requests: Int { traffic.state.withLock { $0.requests.count } }

    /// How many clients have come.
    public var connections: Int { traffic.state.withLock { $0.connections } }

    private static func serve(_ client: Int32, target: Int, _ traffic: Traffic) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer {
            close(client)
            close(server)
        }
        var address = sockaddr_in.loopback(port: target)
        guard withSocketAddress(&address, body: { connect(server, $0, $1) }) == 0 else { return }
        let ways = [(client, server, Direction.toServer), (server, client, Direction.toClient)]
        while true {
            var requests = ways.map { pollfd(fd: $0.0, events: Int16(POLLIN), revents: 0) }
            // `poll` ignores negative descriptors.
            if traffic.state.withLock({ $0.isHeld }) { requests[1].fd = -1 }
            // Wakes to see whether the test is over.
            let count = poll(&requests, 2, 50)
            if count == 0, traffic.state.withLock({ $0.budgets.count == 2 }) { return }
            for (request, way) in zip(requests, ways) where request.revents != 0 {
                guard pass(from: way.0, to: way.1, way.2, traffic) else { return }
            }
        }
    }

    /// False when the connection has ended or is to be cut.
    private static func pass(from source: Int32, to target: Int32, _ way: Direction, _ traffic: Traffic) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(source, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        let (allowed, isLast) = traffic.state.withLock { state in
            let budget = state.budgets[way]
            let allowed = min(count, budget ?? count)
            if let budget { state.budgets[way] = budget - allowed }
            if way == .toServer { state.requests.read(chunk[..<count]) }
            state.passed[way, default: 0] += allowed
            let isLast = budget.map { $0 <= count } ?? false
            if isLast, state.isOnce { state.budgets = [:] }
            return (allowed, isLast)
        }
        var sent = 0
        while sent < allowed {
            let written = chunk[sent..<allowed].withUnsafeBytes {
                send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard written > 0 else { return false }
            sent += written
        }
        return !isLast
    }
}
