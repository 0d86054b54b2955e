/// When Rails' client checks its connection and reopens it, rule by rule
/// (https://github.com/rails/rails/blob/main/actioncable/app/javascript/action_cable/connection_monitor.js).
struct CableMonitor {
    private static let staleAfter = 6 * second
    private static let reopenDelay = 500 * millisecond

    private var attempts = 0
    private var refreshedAt: UInt64
    private var disconnectedAt: UInt64?
    private var pollAt: UInt64 = .max
    /// When to open a socket; one that is open is closed before that.
    private var openAt: UInt64
    private var isActive = false

    init(openAt: UInt64) {
        self.openAt = openAt
        refreshedAt = openAt
    }

    var wakeAt: UInt64 { min(pollAt, openAt) }

    mutating func heard(now: UInt64) { refreshedAt = now }

    mutating func welcomed() { (attempts, disconnectedAt) = (0, nil) }

    mutating func disconnected(now: UInt64) {
        isActive = false
        disconnectedAt = now
    }

    mutating func wake(now: UInt64, into actions: inout [StockAction]) {
        if now >= openAt { open(now: now, into: &actions) }
        guard now >= pollAt else { return }
        if isStale(now) {
            attempts += 1
            let isRecent = disconnectedAt.map { now - $0 < CableMonitor.staleAfter } ?? false
            if !isRecent { reopen(now: now, into: &actions) }
        }
        poll(now: now)
    }

    private func isStale(_ now: UInt64) -> Bool { now - refreshedAt > CableMonitor.staleAfter }

    private mutating func reopen(now: UInt64, into actions: inout [StockAction]) {
        guard isActive else { return open(now: now, into: &actions) }
        actions.append(.close)
        isActive = false
        openAt = now + CableMonitor.reopenDelay
    }

    private mutating func open(now: UInt64, into actions: inout [StockAction]) {
        openAt = .max
        isActive = true
        actions.append(.connect)
        if pollAt == .max { poll(now: now) }
    }

    private mutating func poll(now: UInt64) {
        var backoff = 6.0
        for _ in 0..<min(attempts, 10) { backoff *= 1.15 }
        pollAt = now + nanoseconds(backoff * (1 + .random(in: 0...(attempts == 0 ? 1 : 0.15))))
    }
}
