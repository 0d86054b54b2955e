/// Refusals in a row: since something of the kind was last accepted. They count for a day after the newest, so that what a
/// stranger did once where nobody comes is not told for ever. Pure; every instant is in seconds of the monotonic clock.
struct RefusalRow: Sendable {
    /// One or two may be somebody's experiment.
    static let least = 3
    private static let memory: Int64 = 86_400

    private var number = 0
    private var first: Int64 = 0
    private var newest: Int64 = 0

    mutating func refused(at now: Int64) {
        if count(at: now) == 0 { (number, first) = (0, now) }
        number += 1
        newest = now
    }

    mutating func accepted() { number = 0 }

    func count(at now: Int64) -> Int { now - newest < RefusalRow.memory ? number : 0 }

    /// The time since the first of them.
    func age(at now: Int64) -> Int64 { now - first }
}
