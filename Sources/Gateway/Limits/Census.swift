internal import Synchronization

/// Counts who is connected to all loops together. Each connection costs one short lock, since a client's connections
/// may reach any loop.
final class Census: Sendable {
    /// What a connection may do.
    enum Place: Equatable {
        /// Stay.
        case stay
        /// It is answered and has to leave: a limit is reached.
        case reserve
        /// It is closed at once.
        case none
    }

    private struct State {
        var total = 0
        /// Connections by network. There are never more networks than connections, since each holds at least one.
        var counts: [IPAddress: Int] = [:]
    }

    private let limits: Limits
    private let proxies: TrustedProxies
    private let state = Mutex(State())

    init(limits: Limits, proxies: TrustedProxies) {
        self.limits = limits
        self.proxies = proxies
    }

    /// Counts a connection, unless its place is `none`; then it leaves uncounted.
    func enter(_ address: IPAddress?) -> Place {
        let network = counted(address)
        return state.withLock { state in
            var place = self.place(state.total, limits.connections)
            guard place != .none else { return .none }
            if let network {
                let count = state.counts[network, default: 0]
                place = Census.worse(place, self.place(count, limits.connectionsPerAddress))
                guard place != .none else { return .none }
                state.counts[network] = count + 1
            }
            state.total += 1
            return place
        }
    }

    func leave(_ address: IPAddress?) {
        let network = counted(address)
        state.withLock { state in
            state.total -= 1
            guard let network, let count = state.counts[network] else { return }
            state.counts[network] = count == 1 ? nil : count - 1
        }
    }

    /// A proxy's connection now carries another client's request.
    func move(from old: IPAddress?, to new: IPAddress?) -> Place {
        leave(old)
        return enter(new)
    }

    var total: Int { state.withLock { $0.total } }

    /// All places but the reserve are taken.
    var isFull: Bool { total >= limits.connections }

    /// Nil for an address that is not counted, since it stands for many clients.
    private func counted(_ address: IPAddress?) -> IPAddress? {
        guard let address, !address.isLoopback, !address.isPrivate else { return nil }
        return proxies.contains(address) ? nil : address.network
    }

    private func place(_ count: Int, _ limit: Int) -> Place {
        count < limit ? .stay : count < limit + limits.reserve ? .reserve : .none
    }

    private static func worse(_ one: Place, _ other: Place) -> Place {
        one == .none || other == .none ? .none : one == .reserve || other == .reserve ? .reserve : .stay
    }
}
