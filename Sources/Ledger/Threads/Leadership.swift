internal import Concurrency
internal import Synchronization

/// Whether this node does the work that one node does for all: jobs, recoveries, questions at the end of a period, and
/// what arrives through Redis. Any thread may ask.
///
/// A lease in the database decides, by the database's clock. A node trusts its own lease only until shortly before it
/// ends there, so that two do not hold it at once when a node was stopped in between.
public final class Leadership: Sendable {
    /// Monotonic nanoseconds.
    private let end: Atomic<UInt64>

    /// For the only node of a ledger.
    public static let alone = Leadership(until: .max)

    /// Not held until it is renewed.
    public convenience init() {
        self.init(until: 0)
    }

    private init(until end: UInt64) {
        self.end = Atomic(end)
    }

    public var isHeld: Bool { monotonicNanoseconds() < end.load(ordering: .relaxed) }

    /// `end` is on the monotonic clock, in nanoseconds. Returns true when it was not held before.
    func renew(until end: UInt64) -> Bool {
        let wasHeld = isHeld
        self.end.store(end, ordering: .relaxed)
        return !wasHeld && isHeld
    }

    func resign() {
        end.store(0, ordering: .relaxed)
    }
}
