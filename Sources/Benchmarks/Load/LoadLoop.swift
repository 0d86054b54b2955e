import Glibc

/// Reacts to its sockets on the load generator's thread.
protocol LoadClient: AnyObject {
    func react(_ index: Int, on loop: LoadLoop)
}

/// The load generator's only thread: one epoll for pages and publishers.
final class LoadLoop {
    let poller = Poller()
    private var clients: [any LoadClient] = []

    /// Returns the client's number, shifted into the upper half of its tags.
    func register(_ client: any LoadClient) -> UInt64 {
        clients.append(client)
        return UInt64(clients.count - 1) << 32
    }

    /// Lets go of the clients that `body` has registered, and of their connections.
    func withClients<Result>(_ body: () throws -> Result) rethrows -> Result {
        let count = clients.count
        defer { clients.removeLast(clients.count - count) }
        return try body()
    }

    func turn(milliseconds: Int32) {
        poller.wait(milliseconds: milliseconds) { tag in
            clients[Int(tag >> 32)].react(Int(tag & 0xFFFF_FFFF), on: self)
        }
    }

    /// Turns until `condition` holds.
    func turn(until what: String, timeout: Duration = .seconds(60), condition: () -> Bool) throws(BenchmarkError) {
        let start = ContinuousClock.now
        while !condition() {
            turn(milliseconds: 20)
            guard ContinuousClock.now - start < timeout else { throw .timedOut(waitingFor: what) }
        }
    }
}

/// Nanoseconds of the monotonic clock, which all processes of a machine share.
func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
