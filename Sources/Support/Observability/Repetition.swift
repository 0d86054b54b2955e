/// Something that may happen thousands of times: the log gets a line at the first time, and then one a minute at most, which
/// says how often it has happened since the last one. Pure.
public struct Repetition: Sendable {
    static let pause = Duration.seconds(60)

    private var count = 0
    private var toldAt: ContinuousClock.Instant?

    public init() {}

    /// Returns what to tell, if a line is due.
    public mutating func add(_ times: Int = 1, now: ContinuousClock.Instant = .now) -> Int? {
        count += times
        if let toldAt, toldAt.duration(to: now) < Repetition.pause { return nil }
        toldAt = now
        defer { count = 0 }
        return count
    }
}
