public import Support
import Synchronization

/// Whether this node leads, that is, does the work that one node does for all: jobs, recoveries, questions at the end of a
/// period, retention, and what a Rails app broadcasts. Any thread may ask.
///
/// A lease in the database decides, by the database's clock. A node trusts its own lease only until shortly before it
/// ends there, so that two do not hold it at once when a node was stopped in between. A node that was stopped after it had
/// asked here is kept out by the lease's number: what it commits names it.
public final class LeaderLease: Sendable {
    private struct State {
        var lease: Lease
        var end: MonotonicTime
    }

    private let state: Mutex<State>

    /// For the only node of a ledger.
    public static let alone = LeaderLease(State(lease: .only, end: .max))

    /// Not held until it is renewed.
    public convenience init() { self.init(State(lease: .only, end: 0)) }

    private init(_ state: State) { self.state = Mutex(state) }

    /// Take it before the work begins, and commit the work under it. Nil while the work is another node's.
    public var lease: Lease? {
        let now = monotonicNanoseconds()
        return state.withLock { now < $0.end ? $0.lease : nil }
    }

    public var isHeld: Bool { lease != nil }

    /// Returns true when it was not held before.
    public func renew(_ lease: Lease, until end: MonotonicTime) -> Bool {
        let wasHeld = isHeld
        state.withLock { $0 = State(lease: lease, end: end) }
        return !wasHeld && isHeld
    }

    func resign() { state.withLock { $0.end = 0 } }
}

/// The right to do the leader's work. A commit made for it names this lease, and is refused once another node holds the
/// next one.
public struct Lease: Hashable, Sendable {
    /// Grows each time another node becomes the leader.
    public let number: Int64

    public init(number: Int64) {
        self.number = number
    }

    /// The lease of a ledger that only one node writes.
    public static let only = Lease(number: 0)
}
