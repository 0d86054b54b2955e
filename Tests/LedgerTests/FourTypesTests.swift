import Ledger
import TestSupport
import Testing

@testable import Domain
@testable import Simulator

/// One app sells all four types of products, each of which opens something else: whatever a store says of one of them, it
/// tells the elements and the answers of that one alone.
@Suite(.blocking, .enabled(if: !TemporaryLedger.isInPostgres, "rules, which both engines share"))
struct FourTypesTests {
    private static let main = EntitlementName("pro") ?? .standard
    private static let other = EntitlementName("other") ?? .standard

    private static let catalog = Catalog(
        [
            SimulatedProduct.monthly.id: .init(entitlements: [main]),
            SimulatedProduct.annual.id: .init(entitlements: [main]),
            "keep": .init(kind: .nonConsumable, entitlements: [main]), "coins": .init(kind: .consumable),
            "season": .init(
                kind: .nonRenewing,
                duration: TableScenario.catalog["season"]?.duration,
                entitlements: [main]
            ),
            "beside": .init(entitlements: [other]),
        ],
        entitlements: [main, other]
    )

    /// Bought before the purchase that the row is about.
    struct Beside: Sendable, CustomTestStringConvertible {
        var kind: ProductKind
        var state: ContractState
        var testDescription: String { "beside \(state.rawValue) \(kind.rawValue)" }

        static let all = [
            Beside(kind: .subscription, state: .active), Beside(kind: .subscription, state: .inGracePeriod),
            Beside(kind: .subscription, state: .expired), Beside(kind: .nonRenewing, state: .active),
            Beside(kind: .nonConsumable, state: .owned), Beside(kind: .consumable, state: .delivered),
        ]

        func event(at now: Instant) -> Event {
            let key = ContractKey(provider: .stripe, environment: .production, app: "beside", lineage: "beside")
            var observation = Observation(contract: key, kind: kind)
            observation.token = TableScenario.token
            observation.isPurchase = true
            var charge = Transaction(id: "beside", product: "beside", purchasedAt: now, signedAt: now)
            let end = now + .seconds((state == .expired ? -1 : 400) * 86_400)
            if kind == .subscription || kind == .nonRenewing { charge.expiresAt = end }
            observation.transaction = charge
            if kind == .subscription {
                observation.snapshot = Snapshot(
                    state: state,
                    product: "beside",
                    autoRenew: true,
                    accessUntil: end,
                    signedAt: now
                )
            }
            return Event(
                provider: .stripe,
                environment: .production,
                app: "beside",
                id: "beside",
                type: "beside",
                kind: .purchaseCompleted,
                signedAt: now,
                observation: observation,
                body: []
            )
        }
    }

    /// Each row, and beside it each of the others in turn: in a run that is not whole, one of them beside every third row.
    private static let pairs = TableCase.all.enumerated().flatMap { number, row in
        Beside.all.enumerated().filter { GeneratedCases.take(number + 3 * $0.offset, oneOf: 3 * Beside.all.count) }
            .map { (row, $0.element) }
    }

    @Test(arguments: pairs) func changesItsOwnElementsAlone(_ row: TableCase, beside: Beside) throws {
        let alone = try TableScenario(row, catalog: Self.catalog)
        let both = try TableScenario(row, catalog: Self.catalog)
        _ = try both.ledger.send(beside.event(at: TableScenario.start), receivedAt: TableScenario.start)
        try both.forgetEntries()
        let before = try both.entitlement(Self.other)
        #expect(before.isActive == (beside.kind != .consumable && beside.state.givesAccess))
        for statement in row.before {
            _ = try alone.deliver(statement)
            _ = try both.deliver(statement)
        }
        let expected = try alone.deliver(row.statement)
        let found = try both.deliver(row.statement)
        #expect(found.held.entitlements.first == expected.held.entitlements.first)
        #expect(found.held.contracts.filter { $0.contract != "beside" } == expected.held.contracts)
        // Where everything of the buyer moves, or the buyer is somebody else, what is beside it may move as well.
        let isMove = row.row == 35
        #expect(found.fragments.filter { !isMove || !$0.contains("_other=") } == expected.fragments)
        guard !isMove else { return }
        #expect(try both.entitlement(Self.other) == before)
        #expect(found.told?.first == expected.told?.first && found.told?.last ?? before.summary == before.summary)
    }
}

extension TableScenario {
    fileprivate func entitlement(_ name: EntitlementName) throws -> Entitlement {
        let held = try ledger.entitlements(TableScenario.buyer).entitlements
        guard let entitlement = held.first(where: { $0.name == name }) else { throw LedgerError.busy }
        return entitlement
    }
}
