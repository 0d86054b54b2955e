package import Foundation

/// Closed by failures that are the whole server's. While it recovers, one post goes ahead of the others.
package struct Gate<Post: Equatable & Sendable>: Sendable {
    package var backoff = Backoff()
    /// A post that the server never takes must not hold the others: what fails again closes nothing again.
    private var lastFailed: Post?

    package init() {}

    package mutating func fail(_ post: Post, retryAfter: TimeInterval? = nil, at moment: Moment) {
        if retryAfter == nil, post == lastFailed || (backoff.isOrdered && !backoff.isDue(at: moment.now)) { return }
        lastFailed = post
        backoff.fail(at: moment.now, retryAfter: retryAfter, random: moment.chance)
    }

    package mutating func open() {
        self = Gate()
    }

    /// What the server asked the process before for, of all posts: the longest counts.
    package mutating func restore(from orders: [Backoff], at now: Date) {
        let open = orders.filter { !$0.isDue(at: now) }
        backoff = open.max { $0.due ?? .distantPast < $1.due ?? .distantPast } ?? backoff
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
