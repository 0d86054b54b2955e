internal import Domain
internal import Hub
internal import Sockets

/// The subscriptions whose signed names expire. Adding one costs the same with ten as with a hundred thousand.
struct ExpiryWheel {
    private struct Expiry {
        let end: Instant
        var handle: TimerWheel<SubscriptionID>.Handle
    }

    /// Checks each subscription once a minute, and at the tick when its name ends.
    private var wheel = TimerWheel<SubscriptionID>(period: 60 * LoopSettings.ticksPerSecond)
    private var expiries: [SubscriptionID: Expiry] = [:]

    mutating func add(_ id: SubscriptionID, at end: Instant, now: Instant) {
        let handle = wheel.add(id, after: ticks(from: now, to: end))
        expiries[id] = Expiry(end: end, handle: handle)
    }

    mutating func remove(_ id: SubscriptionID) {
        guard let expiry = expiries.removeValue(forKey: id) else { return }
        wheel.remove(expiry.handle)
    }

    /// Advances by one tick and returns the subscriptions whose names have ended. Calls `now` only when one may have.
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

    /// One tick more than needed, so that the name has ended when it is checked.
    private func ticks(from now: Instant, to end: Instant) -> Int {
        let milliseconds = max(0, end.milliseconds - now.milliseconds)
        return Int(min(milliseconds / 100 + 1, Int64(wheel.period)))
    }
}
