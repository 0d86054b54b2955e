import Ledger
import TestSupport
import Testing

@testable import Domain

/// With a real file: in whatever order and however often events are delivered, and wherever orders fall between them,
/// the ledger and the pages end in the same state.
@Suite(.blocking) struct ConvergenceTests {
    private enum Step {
        case event(Event)
        case order(Order)
    }

    /// Delivered on time (every end of access lies ahead) and late (every end has passed).
    @Test(arguments: Array(UInt64(1)...6), [false, true])
    func deliveriesConverge(seed: UInt64, late: Bool) throws {
        let history = StoreHistory(seed: seed, ties: seed.isMultiple(of: 2))
        let now = late ? history.end + .seconds(1000 * 86_400) : StoreHistory.start
        let inOrder = history.orders.map(Step.order) + history.events.map(Step.event)
        let expected = try final(inOrder, at: now)
        var generator = SeededGenerator(seed: seed &* 104_729)
        for _ in 0..<5 {
            let repeated = inOrder.filter { _ in Bool.random(using: &generator) }
            let shuffled = (inOrder + repeated).shuffled(using: &generator)
            #expect(try final(shuffled, at: now) == expected, "seed \(seed)")
        }
    }

    private struct Final: Equatable {
        var entitlements: [[ContractSummary]] = []
        var active: [Bool] = []
    }

    private func final(_ steps: [Step], at now: Instant) throws -> Final {
        let ledger = try TemporaryLedger(now: now)
        defer { ledger.remove() }
        for step in steps {
            switch step {
            case .event(let event): _ = try ledger.send(event)
            case .order(let order):
                _ = try ledger.order(OrderRequest(user: order.user, product: order.product, token: order.token))
            }
        }
        var final = Final()
        for user in ["buyer", "sister"] as [UserID] {
            let held = try ledger.entitlements(user)
            final.entitlements.append(held.contracts)
            final.active.append(held.isActive)
            try checkPage(of: user, held: held, in: ledger)
        }
        return final
    }

    /// The newest banner agrees with the ledger.
    private func checkPage(of user: UserID, held: UserEntitlements, in ledger: TemporaryLedger) throws {
        let page = try ledger.missed(user).items.flatMap(\.fragments)
        let winner = held.contracts.first { ![.delivered, .pending].contains($0.state) && $0.product != "coins" }
        let banner = page.first { $0.target == PageTarget.subscriptionStatus.rawValue }
        guard case .template(_, let values)? = banner?.content else {
            Issue.record("no banner")
            return
        }
        #expect(values["state"] == winner?.state.rawValue)
        #expect(values["product"] == winner?.product)
        #expect(values["access_until_iso"] == winner?.accessUntil?.iso8601 ?? "")
    }
}
