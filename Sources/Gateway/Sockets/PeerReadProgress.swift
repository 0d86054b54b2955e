/// How fast a peer reads. Its kernel confirms bytes once it has room for them, so whoever reads nothing confirms nothing.
public struct PeerReadProgress {
    /// A line may be slow: a reader that takes as much as this keeps its connection.
    static let leastBytesPerSecond: UInt64 = 1 << 10

    /// How much the peer had confirmed when its time began.
    private let start: UInt64

    public init(start: UInt64) {
        self.start = start
    }

    /// Whether a peer that has confirmed `bytes` by now, `seconds` later, is still reading.
    public func isSteady(confirmed bytes: UInt64, after seconds: Int) -> Bool {
        bytes >= start + UInt64(seconds) * PeerReadProgress.leastBytesPerSecond
    }
}
