internal import Glibc

/// The time of a `tail`: how long it may take, and its pauses between two connections.
struct Waiting {
    let timeout: Duration?
    /// Whether something is awaited.
    let isAwaited: Bool
    /// Whether that is what `--until` says.
    let hasUntil: Bool
    private let start = ContinuousClock.now

    init(timeout: Duration?, isAwaited: Bool, hasUntil: Bool) {
        self.timeout = timeout
        self.isAwaited = isAwaited
        self.hasUntil = hasUntil
    }

    var isOver: Bool {
        timeout.map { start.duration(to: .now) >= $0 } ?? false
    }

    func pause(_ reason: String, for delay: Duration) throws(CommandFailure) {
        try sleep(delay) { printError("paycast: \(reason); trying again in \($0)") }
    }

    /// When nothing is wrong.
    func pause(for delay: Duration) throws(CommandFailure) {
        try sleep(delay) { _ in }
    }

    private func sleep(_ delay: Duration, tell: (Duration) -> Void) throws(CommandFailure) {
        leaveIfNobodyReads(awaited: isAwaited)
        var delay = delay
        if let timeout {
            let remaining = timeout - start.duration(to: .now)
            guard remaining > .zero else { throw timedOut(timeout) }
            delay = min(delay, remaining)
        }
        tell(delay)
        usleep(
            UInt32(clamping: delay.components.seconds * 1_000_000 + delay.components.attoseconds / 1_000_000_000_000)
        )
    }

    private func timedOut(_ timeout: Duration) -> CommandFailure {
        let what = hasUntil ? "nothing matched --until in time" : "--timeout has passed"
        return CommandFailure("\(what) (\(timeout.components.seconds) s)")
    }
}
