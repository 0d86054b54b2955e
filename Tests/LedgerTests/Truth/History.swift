import Domain
import TestSupport

/// One thing that happens and reaches the ledger.
struct HistoryStep: Sendable {
    enum Content: Sendable {
        case order(Order)
        /// Made at delivery: some stores are asked for their state only then.
        case read(@Sendable (Instant) -> Event)
        case event(Event)
        /// Posted by an app in its user's session: it reaches us when it is made.
        case post(Event, Claim)
    }

    var name: String
    /// Its place in the history.
    var number = 0
    /// When it happened.
    var at: Instant
    var content: Content
    /// It was read when it happened, and is committed when it is delivered.
    var wasRead = false

    /// A reading shows all that has happened before, so it cannot be left out.
    var isRead: Bool {
        if case .read = content { true } else { wasRead }
    }

    /// The user's own action, which no network delays.
    var isAction: Bool {
        if case .post = content { true } else { false }
    }
}

/// A delivery and when it came.
typealias Arrived = (at: Instant, delivery: HistoryStep)

/// What happens between stores, apps and Paycast, in order.
struct History: Sendable {
    var seed: UInt64
    var policy: TransferPolicy
    var deliveries: [HistoryStep] = []
    var users: [UserID] = []
    var end = StoreHistory.start
    /// The state at the stores in the end; empty where two things may happen in the same millisecond.
    var timelines: [StoreTimeline] = []

    /// When each delivery arrives: some are late and some come twice, except a user's own actions.
    func arrivals(using generator: inout SeededGenerator) -> [Arrived] {
        let actions = deliveries.filter(\.isAction)
        var arrivals: [Arrived] = []
        for delivery in deliveries {
            let copies = Int.random(in: 0..<4, using: &generator) == 0 ? 2 : 1
            for copy in 0..<copies {
                guard !delivery.isAction else {
                    arrivals.append((delivery.at, delivery))
                    continue
                }
                let isLate = copy > 0 || Bool.random(using: &generator)
                var at = delivery.at
                if isLate { at = at + .milliseconds(Int64.random(in: 0...6_000_000_000, using: &generator)) }
                // A refusal is final, so everything that it depends on must have arrived.
                if policy == .transferIfInactive, let next = actions.first(where: { $0.number > delivery.number }) {
                    at = min(at, next.at)
                }
                arrivals.append((at, delivery))
            }
        }
        // Equal instants in any order.
        if policy != .transferIfInactive { return arrivals.shuffled(using: &generator).sorted { $0.at < $1.at } }
        return arrivals.sorted { ($0.at, $0.delivery.number) < ($1.at, $1.delivery.number) }
    }

    var inOrder: [Arrived] {
        deliveries.sorted { ($0.at, $0.number) < ($1.at, $1.number) }.map { ($0.at, $0) }
    }

    mutating func finish() {
        deliveries.sort { $0.at < $1.at }
        // Of what two users claim in one millisecond, the ledger keeps the order in which it came, and no other.
        var last = Instant(milliseconds: 0)
        for index in deliveries.indices where deliveries[index].isAction {
            deliveries[index].at = max(deliveries[index].at, last + .milliseconds(1))
            last = deliveries[index].at
        }
        deliveries.sort { $0.at < $1.at }
        for index in deliveries.indices { deliveries[index].number = index }
    }

    func without(_ number: Int) -> History {
        var smaller = self
        smaller.deliveries.removeAll { $0.number == number }
        return smaller
    }
}
