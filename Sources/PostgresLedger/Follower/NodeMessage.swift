import Support

/// A message between nodes, outside the log. It may get lost.
struct NodeMessage: Equatable {
    /// Sent by a node of this ledger, of any version.
    var body: [UInt8]
    /// The newest position that its sender knew to be committed. The message comes after it.
    var position: Int64
}

/// Something that a node hears from the others.
enum NodeNews: Equatable {
    /// Notifications arrive from now on. Earlier ones were missed.
    case connected
    /// Notifications no longer arrive.
    case disconnected
    /// Everything up to this position has been committed.
    case position(Int64)
    case message(NodeMessage)
}

/// When a lost server may be asked again: at once, then after 0.1 seconds, doubling up to 5, with jitter, so that the
/// nodes do not all come at the same moment.
struct Reconnection {
    private var failures = 0
    private var due: MonotonicTime = 0

    /// `lasted`: how long it was connected. One that ends at once, again and again, is not asked at once again and again.
    mutating func failed(after lasted: Duration = .zero) {
        failures = lasted < .seconds(1) ? failures + 1 : 1
        let most = min(5.0, 0.1 * Double(1 << min(failures, 10)))
        due = monotonicNanoseconds() + UInt64(Double.random(in: 0.5...1) * most * 1e9)
    }

    /// How long until it may be tried again.
    var delay: Duration {
        let now = monotonicNanoseconds()
        return .nanoseconds(Int64(clamping: due - now))
    }
}
