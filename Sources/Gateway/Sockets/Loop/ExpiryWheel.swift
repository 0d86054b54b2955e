import Domain

/// What ends at an instant, such as a page's signed name. Adding one costs the same with ten as with a hundred thousand.
struct ExpiryWheel<ID: Hashable & Sendable> {
    private struct Expiry {
        let end: Instant
        var handle: TimerWheel<ID>.Handle
    }

    private var wheel: TimerWheel<ID>
    private var expiries: [ID: Expiry] = [:]

    /// A tick is 0.1 seconds. Checks each once in `period` ticks, and at the tick when it ends.
    init(period: Int) {
        wheel = TimerWheel(period: period)
    }

    mutating func add(_ id: ID, at end: Instant, now: Instant) {
        let handle = wheel.add(id, after: ticks(from: now, to: end))
        expiries[id] = Expiry(end: end, handle: handle)
    }

    mutating func remove(_ id: ID) {
        guard let expiry = expiries.removeValue(forKey: id) else { return }
        wheel.remove(expiry.handle)
    }

    /// Advances by one tick and returns what has ended. Calls `now` only when one may have.
    mutating func tick(now: () -> Instant) -> [ID] {
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

    /// One tick more than needed, so that it has ended when it is checked.
    private func ticks(from now: Instant, to end: Instant) -> Int {
        let milliseconds = max(0, end.milliseconds - now.milliseconds)
        return Int(min(milliseconds / 100 + 1, Int64(wheel.period)))
    }
}
