import APIModel
import Testing

@testable import Domain
@testable import Ledger
@testable import Server

/// What a backend orders the messages about a charge by.
@Suite struct HookMessageTests {
    /// A change of a charge: where and when it was committed.
    struct Change: Sendable {
        var position: Int64
        var second: Int64
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var changes: [Change]
    }

    static let cases = [
        Case(
            testDescription: "one after the other",
            changes: [Change(position: 700, second: 1), Change(position: 701, second: 2)]
        ),
        Case(
            testDescription: "after a backup of an earlier position was restored",
            changes: [Change(position: 700, second: 1), Change(position: 301, second: 2)]
        ),
        Case(
            testDescription: "in the ledger of another engine, which begins with the first position",
            changes: [Change(position: 700, second: 1), Change(position: 1, second: 2)]
        ),
    ]

    private func item(_ change: Change) -> PurchaseItem? {
        let at = Instant(milliseconds: change.second * 1000)
        let key = ContractKey(provider: .apple, environment: .production, app: "a", lineage: "1")
        let delivery = HookDelivery(
            id: change.position << 20,
            address: "https://backend.example/hooks",
            user: "42",
            type: .purchaseRefunded,
            contract: 1,
            statedAt: Instant(milliseconds: change.position),
            charge: "t1",
            state: .waiting,
            position: change.position,
            version: 1,
            accepted: 0,
            queuedAt: at,
            attempts: 0,
            dueAt: at,
            causedAt: at
        )
        let notice = Notice(kind: .refundCompleted)
        var due = DueHook(
            delivery: delivery,
            cause: Entry(position: change.position, committedAt: at, notice: notice, fragments: [])
        )
        due.purchase = Contract(key: key, kind: .subscription)
        due.charge = Charge(id: "t1", terms: ChargeTerms(product: "monthly", purchasedAt: at, statedAt: at))
        return HookMessage(due, epoch: "e").data.purchase
    }

    @Test(arguments: cases) func aLaterChangeOfAChargeHasAHigherVersion(_ given: Case) throws {
        let versions = given.changes.map { item($0)?.version }
        #expect(versions == given.changes.map { Int($0.second * 1000) })
        #expect(given.changes.map { item($0)?.version } == versions, "sent again")
        #expect(item(given.changes[0])?.transaction == "t1")
    }
}
