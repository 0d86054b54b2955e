import Synchronization

/// Counts who is connected to all loops together. Each connection costs one short lock, since a client's connections
/// may reach any loop.
public final class ConnectionLimiter: Sendable {
    /// The permissions of a connection. A stricter one is greater.
    public enum Admission: Comparable, Sendable {
        case accept
        /// It is answered and has to leave: a limit is reached.
        case overflow
        /// It is closed at once.
        case reject
    }

    private struct State {
        var total = 0
        /// Connections by network. There are never more networks than connections, since each holds at least one.
        var counts: [IPAddress: Int] = [:]
    }

    private let limits: Limits
    private let proxies: [IPNetwork]
    private let state = Mutex(State())

    public init(limits: Limits, proxies: [IPNetwork]) {
        self.limits = limits
        self.proxies = proxies
    }

    /// Counts a connection, unless it is rejected; then it leaves uncounted.
    public func enter(_ address: IPAddress?) -> Admission {
        let network = counted(address)
        return state.withLock { state in
            var admission = self.admission(of: state.total, limit: limits.connections)
            guard admission != .reject else { return .reject }
            if let network {
                let count = state.counts[network, default: 0]
                admission = max(admission, self.admission(of: count, limit: limits.connectionsPerAddress))
                guard admission != .reject else { return .reject }
                state.counts[network] = count + 1
            }
            state.total += 1
            return admission
        }
    }

    /// A connection that was counted for the address has ended.
    public func leave(_ address: IPAddress?) {
        let network = counted(address)
        state.withLock { state in
            state.total -= 1
            guard let network, let count = state.counts[network] else { return }
            state.counts[network] = count == 1 ? nil : count - 1
        }
    }

    /// A proxy's connection now carries another client's request.
    public func move(from old: IPAddress?, to new: IPAddress?) -> Admission {
        leave(old)
        return enter(new)
    }

    /// Connections that are counted now.
    public var total: Int { state.withLock { $0.total } }

    /// Only the reserve is left.
    public var isFull: Bool { total >= limits.connections }

    /// Nil for an address that is not counted, since it stands for many clients.
    private func counted(_ address: IPAddress?) -> IPAddress? {
        guard let address, !address.isLoopback, !address.isPrivate else { return nil }
        return proxies.contains(address) ? nil : address.network
    }

    private func admission(of count: Int, limit: Int) -> Admission {
        count < limit ? .accept : count < limit + limits.reserve ? .overflow : .reject
    }
}
