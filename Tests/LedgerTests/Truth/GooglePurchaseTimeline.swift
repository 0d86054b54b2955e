import Domain
import TestSupport

/// A purchase of several products as Google sees it: each product has its own timeline, and a removed one is not
/// listed.
struct GooglePurchaseTimeline: Sendable {
    var base: StoreTimeline
    private var lines: [String: StoreTimeline] = [:]
    private var listed: Set<String> = []
    /// Products that were ever refunded.
    private var refunded: Set<String> = []

    init(_ base: StoreTimeline) {
        self.base = base
    }

    /// The timeline of each product.
    var timelines: [StoreTimeline] { [base] + lines.keys.sorted().compactMap { lines[$0] } }

    mutating func pass(to now: Instant) {
        base.pass(to: now)
        for product in lines.keys { lines[product]?.pass(to: now) }
    }

    func holds(_ product: String) -> Bool { listed.contains(product) }

    func steps(of product: String) -> [StoreTimeline.Step] {
        guard listed.contains(product), let timeline = lines[product] else { return [.start] }
        let known: [StoreTimeline.Step] = [
            .start, .renew, .recover, .grace, .retry, .renewalOff, .renewalOn, .expire, .refundCurrent, .reverse,
        ]
        return timeline.possibleSteps.filter { known.contains($0) }
    }

    mutating func take(_ step: StoreTimeline.Step, of product: String, at now: Instant) {
        var timeline = lines[product] ?? newLine(product)
        timeline.token = base.token
        _ = timeline.take(step, at: now)
        if timeline.state == .revoked { refunded.insert(product) }
        // Paid for longer than any delivery is late, so that time alone does not end a product that is removed.
        if step == .start { for _ in 0..<3 { _ = timeline.take(.renew, at: now) } }
        lines[product] = timeline
        listed.insert(product)
    }

    private func newLine(_ product: String) -> StoreTimeline {
        var timeline = StoreTimeline(base.key.line(product))
        timeline.sells(product)
        return timeline
    }

    /// A refunded product stays listed, even if it is bought again: otherwise only a reader who saw it before would know of
    /// the refund, and only one who saw it afterwards that it was not the end.
    mutating func takeOut(_ product: String, at now: Instant) {
        guard !refunded.contains(product), listed.remove(product) != nil else { return }
        _ = lines[product]?.take(.expire, at: now)
    }

    func event(_ id: String, kind: EventKind, readAt: Instant) -> Event {
        var current = self
        current.pass(to: readAt)
        return Event(
            provider: .google,
            environment: .production,
            app: "app",
            id: id,
            type: "SIMULATED",
            kind: kind,
            signedAt: readAt,
            observation: current.base.statement(at: readAt),
            further: listed.sorted().compactMap { current.lines[$0]?.statement(at: readAt) },
            isWhole: true,
            body: []
        )
    }
}
