/// Something that may happen thousands of times: the log gets a line at the first time, and then one in each `pause` at most,
/// which says how often it has happened since the last one. Pure.
public struct Repetition: Sendable {
    private let pause: Duration
    private var count = 0
    private var toldAt: MonotonicTime?

    public init(pause: Duration = .seconds(60)) { self.pause = pause }

    /// Returns what to tell, if a line is due.
    public mutating func add(_ times: Int = 1, now: MonotonicTime) -> Int? {
        count += times
        if let toldAt, now < toldAt + pause { return nil }
        toldAt = now
        defer { count = 0 }
        return count
    }
}
