import Support

/// The time of a `tail`: how long it may take, and its pauses between two connections.
struct Waiting {
    let timeout: Duration?
    let isAwaited: Bool
    /// Whether that is what `--until` says.
    var hasUntil = false
    private let start = ContinuousClock.now

    var isOver: Bool {
        timeout.map { start.duration(to: .now) >= $0 } ?? false
    }

    /// What is done before anything is followed: in what is left of the time.
    func bounding<Result>(_ body: (Duration) throws(CommandFailure) -> Result) throws(CommandFailure) -> Result {
        let rest = timeout.map { $0 - start.duration(to: .now) + .milliseconds(10) }
        let result = Swift.Result { () throws(CommandFailure) in try body(rest ?? .seconds(1 << 32)) }
        if let timeout, isOver { throw timedOut(timeout) }
        return try result.get()
    }

    /// `reason` is what went wrong, if anything did.
    func pause(_ reason: String? = nil, for delay: Duration) throws(CommandFailure) {
        leaveIfNobodyReads(awaited: isAwaited)
        var delay = delay
        if let timeout {
            let remaining = timeout - start.duration(to: .now)
            guard remaining > .zero else { throw timedOut(timeout) }
            delay = min(delay, remaining)
        }
        if let reason { printError("paycast: \(reason); trying again in \(delay)") }
        Waker().wait(timeout: delay + .milliseconds(1))  // which counts whole ones
    }

    private func timedOut(_ timeout: Duration) -> CommandFailure {
        let what = hasUntil ? "nothing matched --until in time" : "--timeout has passed"
        return CommandFailure("\(what) (\(timeout.components.seconds) s)")
    }
}

extension Waiting {
    init(for follower: FeedFollower) {
        self.init(timeout: follower.timeout, isAwaited: follower.waits, hasUntil: !follower.until.isEmpty)
    }
}
