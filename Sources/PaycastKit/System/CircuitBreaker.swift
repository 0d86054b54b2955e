internal import Foundation

/// Stops all posts after a failure that is the whole server's. While it recovers, one post goes ahead of the others
/// (https://martinfowler.com/bliki/CircuitBreaker.html).
struct CircuitBreaker<Post: Equatable & Sendable>: Sendable {
    var backoff = Backoff()
    /// A post that the server never takes must not hold the others: what fails again stops nothing.
    private var lastFailed: Post?

    mutating func fail(_ post: Post, retryAfter: TimeInterval? = nil, at moment: Moment) {
        if retryAfter == nil, post == lastFailed || (backoff.isOrdered && !backoff.isDue(at: moment.now)) { return }
        lastFailed = post
        backoff.fail(at: moment.now, retryAfter: retryAfter, random: moment.chance)
    }

    mutating func reset() {
        self = CircuitBreaker()
    }

    /// What the server asked the process before for, of all posts: the longest counts.
    mutating func restore(from orders: [Backoff], at now: Date) {
        let waiting = orders.filter { !$0.isDue(at: now) }
        backoff = waiting.max { $0.due ?? .distantPast < $1.due ?? .distantPast } ?? backoff
    }
}

/// Time and chance, which pure rules are given.
struct Moment: Sendable {
    var now: Date
    /// From 0 up to 1.
    var chance: Double
}
