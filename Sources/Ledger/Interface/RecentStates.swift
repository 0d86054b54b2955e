import Domain
import Support
import Synchronization

/// What users hold since their last change, as the transaction knew it: a message to the backend then need not read it again.
/// Whatever it does not know is read. It is right as long as the user's message has the same position.
public final class RecentStates: Sendable {
    /// 10 MB at most. So many wait only for an address that fails, or in a peak.
    static let limit = 8192

    private struct State {
        var position: Int64
        var set: EntitlementSet
        /// By how many addresses it is still needed.
        var uses: Int
    }

    private let states = Mutex(BoundedCache<UserID, State>(capacity: RecentStates.limit))
    private let addresses: Int

    /// `addresses` is how many are told of each change.
    public init(addresses: Int) { self.addresses = addresses }

    func remember(_ records: [HookRecord]) {
        guard !records.isEmpty else { return }
        states.withLock { states in
            for record in records where record.purchase == nil {
                states[record.user] = record.state.map {
                    State(position: record.position, set: $0, uses: addresses)
                }
            }
        }
    }

    /// By another policy, the answer is another; and nothing is kept of who was erased.
    func forget() { states.withLock { $0 = BoundedCache(capacity: RecentStates.limit) } }

    /// Nil as well for a state that time has changed: `now` is past an end that no commit has announced yet.
    func take(_ user: UserID, at position: Int64, now: Instant) -> EntitlementSet? {
        states.withLock { states in
            guard var state = states[user], state.position == position,
                !state.set.ranked.contains(where: { $0.status.endsAt.map { $0 <= now } ?? false })
            else { return nil }
            state.uses -= 1
            states[user] = state.uses > 0 ? state : nil
            return state.set
        }
    }
}

extension UserEntitlements {
    init(_ state: EntitlementSet, since: Cursor) {
        self.init(
            entitlements: state.entitlements,
            contracts: state.ranked.map { $0.summary(isHonoured: true) },
            since: since
        )
    }
}
