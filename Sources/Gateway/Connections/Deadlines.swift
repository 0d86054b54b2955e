internal import Sockets

/// The connections that have a deadline: those that are not pages, and pages that are behind. Each is checked once a
/// second.
struct Deadlines {
    private var wheel = TimerWheel<ConnectionID>(period: LoopSettings.deadlineTicks)

    /// Gives the connection `seconds` for what it is doing. `now` is the loop's tick.
    mutating func set(for connection: Connection, seconds: Int, now: Int) {
        connection.quietSince = now
        connection.deadline = now + seconds * LoopSettings.ticksPerSecond
        if connection.deadlineHandle == nil { connection.deadlineHandle = wheel.add(connection.id) }
    }

    mutating func clear(for connection: Connection) {
        guard let handle = connection.deadlineHandle else { return }
        connection.deadlineHandle = nil
        wheel.remove(handle)
    }

    /// Advances by one tick and returns the connections whose deadlines are to be checked.
    mutating func tick() -> [ConnectionID] { wheel.tick() }
}
