internal import Foundation

/// When to try again: 1 s, doubled with each failure up to five minutes, plus up to half of it by chance so that the apps
/// of one outage do not come back together. What the server asks for with `Retry-After` wins.
struct Backoff: Codable, Equatable, Sendable {
    static let first: TimeInterval = 1
    static let longest: TimeInterval = 300
    /// A longer `Retry-After` is a mistake or an attack: a purchase waits a day at most.
    static let longestOrdered: TimeInterval = 86_400

    private(set) var failures = 0
    private(set) var failedAt: Date?
    private(set) var due: Date?
    private(set) var isOrdered = false

    var hasFailed: Bool { failures > 0 }

    /// A failure in the future means that the clock has been set back since: then waiting has lost its measure. Within a
    /// second it means that the file's milliseconds were rounded.
    func isDue(at now: Date) -> Bool {
        guard let due, let failedAt else { return true }
        return now >= due || now < failedAt.addingTimeInterval(-Backoff.first)
    }

    /// `random` is from 0 up to 1.
    mutating func fail(at now: Date, retryAfter: TimeInterval? = nil, random: Double) {
        // From 2^9 seconds on it is the longest anyway.
        let own = min(Backoff.longest, Backoff.first * Double(1 << min(failures, 9)))
        let ordered = retryAfter.map { min(max($0, Backoff.first), Backoff.longestOrdered) }
        failures += 1
        failedAt = now
        isOrdered = ordered != nil
        due = now.addingTimeInterval((ordered ?? own) + min(ordered ?? own, Backoff.longest) * random / 2)
    }

    /// The app came to the foreground, or the network came back: the next try need not wait for its turn. It still stays
    /// a second behind the last failure, and behind what the server asked for.
    mutating func hasten() {
        guard !isOrdered, let failedAt, let due else { return }
        self.due = min(due, failedAt.addingTimeInterval(Backoff.first))
    }

    mutating func reset() {
        self = Backoff()
    }
}
