internal import Domain
internal import Hub

/// The subscriptions whose signed name ends one day. Adding one costs the same for ten and for a hundred thousand.
struct ExpiryWheel {
    private struct Expiry {
        let end: Instant
        var handle: HeartbeatWheel<SubscriptionID>.Handle
    }

    /// Looked at once a minute, and at the tick when it ends.
    private var wheel = HeartbeatWheel<SubscriptionID>(period: 60 * LoopSettings.ticksPerSecond)
    private var expiries: [SubscriptionID: Expiry] = [:]

    mutating func add(_ id: SubscriptionID, at end: Instant, now: Instant) {
        let handle = wheel.add(id, after: ticks(from: now, to: end))
        expiries[id] = Expiry(end: end, handle: handle)
    }

    mutating func remove(_ id: SubscriptionID) {
        guard let expiry = expiries.removeValue(forKey: id) else { return }
        wheel.remove(expiry.handle)
    }

    /// Goes on by one tick and returns those that have ended. `now` is asked for when something may have.
    mutating func tick(now: () -> Instant) -> [SubscriptionID] {
        let due = wheel.tick()
        guard !due.isEmpty else { return [] }
        let now = now()
        return due.filter { id in
            guard let expiry = expiries[id] else { return false }
            if expiry.end <= now { return true }
            wheel.remove(expiry.handle)
            add(id, at: expiry.end, now: now)
            return false
        }
    }

    /// One more than fits, so that it has ended when it is looked at.
    private func ticks(from now: Instant, to end: Instant) -> Int {
        let milliseconds = max(0, end.milliseconds - now.milliseconds)
        return Int(min(milliseconds / 100 + 1, Int64(wheel.period)))
    }
}
