internal import Sockets

/// The connections that have a deadline: those that are not pages, and pages that are behind. Each is checked once a
/// second, without a timer of lws, whose sorted list walks over every idle one.
final class Deadlines {
    private let loop: LoopContext
    private var wheel = TimerWheel<ConnectionID>(period: LoopSettings.deadlineTicks)

    init(loop: LoopContext) {
        self.loop = loop
    }

    /// Gives the connection `seconds` for what it is doing.
    func set(for connection: Connection, seconds: Int) {
        connection.quietSince = loop.now
        connection.deadline = loop.now + seconds * LoopSettings.ticksPerSecond
        if connection.deadlineHandle == nil { connection.deadlineHandle = wheel.add(connection.id) }
    }

    /// Another thread works for the connection, or it is a page that keeps up.
    func clear(for connection: Connection) {
        guard let handle = connection.deadlineHandle else { return }
        connection.deadlineHandle = nil
        wheel.remove(handle)
    }

    /// Advances by one tick and returns the connections whose deadlines are to be checked.
    func tick() -> [ConnectionID] { wheel.tick() }
}
