/// The object behind libcurl's callbacks. It lives for one transfer, on that transfer's thread.
final class Receiver {
    private let silenceLimit: Duration?
    private let onHead: (ReceivedHead) -> Bool
    private let onBytes: (UnsafeRawBufferPointer) -> Bool
    private let onTick: () -> Bool
    private var head = ReceivedHead()
    private var isHeadComplete = false
    private var lastByte = ContinuousClock.now
    /// True when one of the closures returned false, so that libcurl's error about it does not count.
    private(set) var wasStopped = false
    private(set) var isSilent = false

    init(
        silenceLimit: Duration?,
        onHead: @escaping (ReceivedHead) -> Bool,
        onBytes: @escaping (UnsafeRawBufferPointer) -> Bool,
        onTick: @escaping () -> Bool
    ) {
        self.silenceLimit = silenceLimit
        self.onHead = onHead
        self.onBytes = onBytes
        self.onTick = onTick
    }

    /// Handles one header line. Any result but `count` makes libcurl end the transfer.
    func line(_ start: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        guard !isHeadComplete else { return count }  // Trailers.
        switch head.received(UnsafeRawBufferPointer(start: start, count: count)) {
        case .more: return count
        case .refuse: return 0
        case .complete:
            isHeadComplete = true
            lastByte = .now
            return goOn(onHead(head)) ? count : 0
        }
    }

    func bytes(_ start: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        lastByte = .now
        return goOn(onBytes(UnsafeRawBufferPointer(start: start, count: count))) ? count : 0
    }

    /// libcurl calls this at least once a second; 1 ends the transfer. libcurl's own low-speed limit would count a
    /// heartbeat of three bytes as silence.
    func tick() -> Int32 {
        if let silenceLimit { isSilent = lastByte.duration(to: .now) > silenceLimit }
        return !isSilent && goOn(onTick()) ? 0 : 1
    }

    private func goOn(_ decision: Bool) -> Bool {
        if !decision { wasStopped = true }
        return decision
    }
}
