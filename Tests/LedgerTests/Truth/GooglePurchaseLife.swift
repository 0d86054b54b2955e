import Domain
import TestSupport

/// A purchase of several products as Google sees it: each lives by itself, and what was taken out is listed no more.
struct GooglePurchaseLife: Sendable {
    var base: StoreLife
    private var lines: [String: StoreLife] = [:]
    private var listed: Set<String> = []

    init(_ base: StoreLife) {
        self.base = base
    }

    /// What Google thinks of each product in the end.
    var lives: [StoreLife] { [base] + lines.keys.sorted().compactMap { lines[$0] } }

    mutating func pass(to now: Instant) {
        base.pass(to: now)
        for product in lines.keys { lines[product]?.pass(to: now) }
    }

    func holds(_ product: String) -> Bool { listed.contains(product) }

    func steps(of product: String) -> [StoreLife.Step] {
        guard listed.contains(product), let life = lines[product] else { return [.start] }
        let known: [StoreLife.Step] = [
            .start, .renew, .recover, .grace, .retry, .renewalOff, .renewalOn, .expire, .refundCurrent, .reverse,
        ]
        return life.possibleSteps.filter { known.contains($0) }
    }

    mutating func take(_ step: StoreLife.Step, of product: String, at now: Instant) {
        var life = lines[product] ?? newLine(product)
        life.token = base.token
        _ = life.take(step, at: now)
        // Paid for longer than anything is late: time alone does not end what is taken out.
        if step == .start { for _ in 0..<3 { _ = life.take(.renew, at: now) } }
        lines[product] = life
        listed.insert(product)
    }

    private func newLine(_ product: String) -> StoreLife {
        var life = StoreLife(base.key.line(product))
        life.sells(product)
        return life
    }

    /// What was paid back stays in the list: it would be known only to who has read it before.
    mutating func takeOut(_ product: String, at now: Instant) {
        guard lines[product]?.state != .revoked, listed.remove(product) != nil else { return }
        _ = lines[product]?.take(.expire, at: now)
    }

    func event(_ id: String, _ kind: EventKind, readAt: Instant) -> Event {
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
