/// Decides when returning free memory to the system is worthwhile. Pure.
struct MemoryTrimSchedule {
    /// This many connections leave enough memory behind that returning it is worth a few milliseconds.
    private static let crowd = 64

    private var trimmedAt = 0
    private var lastEnded = 0

    /// Call it once a second with the number of connections that have ended so far. It waits until none has ended for a
    /// second: while connections come and go, the next one reuses the memory.
    mutating func isDue(ended: Int) -> Bool {
        defer { lastEnded = ended }
        guard ended == lastEnded, ended >= trimmedAt + MemoryTrimSchedule.crowd else { return false }
        trimmedAt = ended
        return true
    }
}
