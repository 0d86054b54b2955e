package import Foundation

/// Stops all posts after a failure that is the whole server's. While it recovers, one post goes ahead of the others
/// (https://martinfowler.com/bliki/CircuitBreaker.html).
package struct CircuitBreaker<Post: Equatable & Sendable>: Sendable {
    package var backoff = Backoff()
    /// A post that the server never takes must not hold the others: what fails again stops nothing.
    private var lastFailed: Post?

    package init() {}

    package mutating func fail(_ post: Post, retryAfter: TimeInterval? = nil, at moment: Moment) {
        if retryAfter == nil, post == lastFailed || (backoff.isOrdered && !backoff.isDue(at: moment.now)) { return }
        lastFailed = post
        backoff.fail(at: moment.now, retryAfter: retryAfter, random: moment.chance)
    }

    package mutating func reset() {
        self = CircuitBreaker()
    }

    /// What the server asked the process before for, of all posts: the longest counts.
    package mutating func restore(from orders: [Backoff], at now: Date) {
        let waiting = orders.filter { !$0.isDue(at: now) }
        backoff = waiting.max { $0.due ?? .distantPast < $1.due ?? .distantPast } ?? backoff
    }
}

/// Time and chance, which pure rules are given.
package struct Moment: Sendable {
    package var now: Date
    /// From 0 up to 1.
    package var chance: Double

    package init(now: Date, chance: Double) {
        self.now = now
        self.chance = chance
    }
}
