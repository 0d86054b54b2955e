import Testing

@testable import Domain

@Suite struct ContractStatusTests {
    private static let now = Instant(milliseconds: 1_700_000_000_000)

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var kind = ProductKind.subscription
        var snapshot: Snapshot?
        var charge: Transaction?
        var status: ContractStatus
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(
            name: "a snapshot decides",
            snapshot: snapshot(.active, day: 30),
            charge: charge(day: 10),
            status: status(.active, day: 30)
        ),
        Case(
            name: "active past its end is expired",
            snapshot: snapshot(.active, day: 0),
            status: status(.expired, day: 0)
        ),
        Case(
            name: "cancelled past its end is expired",
            snapshot: snapshot(.cancelled, day: -1),
            status: status(.expired, day: -1)
        ),
        Case(
            name: "grace past its end is expired",
            snapshot: snapshot(.inGracePeriod, day: -1),
            status: status(.expired, day: -1)
        ),
        Case(
            name: "grace never ends before what is paid",
            snapshot: snapshot(.inGracePeriod, day: -1),
            charge: charge(day: 30, signed: -5),
            status: status(.inGracePeriod, day: 30)
        ),
        Case(
            name: "grace that is longer than what is paid stays",
            snapshot: snapshot(.inGracePeriod, day: 30),
            charge: charge(day: -5, signed: -5),
            status: status(.inGracePeriod, day: 30)
        ),
        Case(
            name: "a refunded charge does not extend a grace",
            snapshot: snapshot(.inGracePeriod, day: 10),
            charge: charge(day: 30, revoked: -2, signed: -5),
            status: status(.inGracePeriod, day: 10)
        ),
        Case(
            name: "active without an end is pending",
            snapshot: snapshot(.active, day: nil),
            status: status(.pending, day: nil)
        ),
        Case(
            name: "grace without an end is pending",
            snapshot: snapshot(.inGracePeriod, day: nil),
            status: status(.pending, day: nil)
        ),
        Case(
            name: "a charge without an end is pending",
            charge: charge(day: nil),
            status: status(.pending, day: nil, autoRenew: nil)
        ),
        Case(
            name: "without an end, that of an older charge counts",
            snapshot: snapshot(.cancelled, day: nil, signed: -1),
            charge: charge(day: 10, signed: -5),
            status: status(.cancelled, day: 10)
        ),
        Case(
            name: "without an end, a newer charge extends",
            snapshot: snapshot(.active, day: nil, signed: -5),
            charge: charge(day: 10, signed: -1),
            status: status(.active, day: 10)
        ),
        Case(
            name: "billing retry stays",
            snapshot: snapshot(.inBillingRetry, day: -1),
            status: status(.inBillingRetry, day: -1)
        ),
        Case(
            name: "a newer transaction extends",
            snapshot: snapshot(.expired, day: -1, signed: -5),
            charge: charge(day: 30, signed: -1),
            status: status(.active, day: 30, autoRenew: nil)
        ),
        Case(
            name: "a newer transaction does not shorten",
            snapshot: snapshot(.active, day: 30, signed: -5),
            charge: charge(day: 20, signed: -1),
            status: status(.active, day: 30)
        ),
        Case(
            name: "an older transaction does not revive",
            snapshot: snapshot(.revoked, day: -1, signed: -1),
            charge: charge(day: 30, signed: -2),
            status: status(.revoked, day: -1)
        ),
        Case(
            name: "a newer revocation of the period revokes",
            snapshot: snapshot(.active, day: 30, signed: -5),
            charge: charge(day: 30, revoked: -1, signed: -1),
            status: status(.revoked, day: -1)
        ),
        Case(
            name: "a revocation of an older period does not",
            snapshot: snapshot(.active, day: 30, signed: -5),
            charge: charge(day: 0, revoked: -1, signed: -1),
            status: status(.active, day: 30)
        ),
        Case(
            name: "a transaction alone",
            charge: charge(day: 30),
            status: status(.active, day: 30, autoRenew: nil)
        ),
        Case(
            name: "a revoked transaction alone",
            charge: charge(day: 30, revoked: -1),
            status: status(.revoked, day: -1, autoRenew: nil)
        ),
        Case(
            name: "a consumable is delivered",
            kind: .consumable,
            charge: charge(day: nil),
            status: status(.delivered, day: nil, autoRenew: nil)
        ),
        Case(
            name: "a non-consumable is owned",
            kind: .nonConsumable,
            charge: charge(day: nil),
            status: status(.owned, day: nil, autoRenew: nil)
        ),
        Case(
            // With 29 February 2024.
            name: "a non-renewing one runs for a year of the calendar",
            kind: .nonRenewing,
            charge: charge(day: nil, bought: -5),
            status: status(.active, day: 361, autoRenew: nil)
        ),
        Case(
            name: "and then is over",
            kind: .nonRenewing,
            charge: charge(day: nil, bought: -366),
            status: status(.expired, day: -1, autoRenew: nil)
        ),
        Case(
            name: "a pending one-time purchase",
            kind: .nonConsumable,
            snapshot: snapshot(.pending, day: nil),
            status: status(.pending, day: nil)
        ),
        Case(
            name: "is owned when it was paid",
            kind: .nonConsumable,
            snapshot: snapshot(.pending, day: nil, signed: -5),
            charge: charge(day: nil, signed: -1),
            status: status(.owned, day: nil, autoRenew: nil)
        ),
    ])
    func ofContract(_ given: Case) {
        let key = ContractKey(provider: .apple, environment: .production, app: "a", lineage: "1")
        var contract = Contract(key: key, kind: given.kind)
        for (event, part) in [("s", given.snapshot as Any?), ("t", given.charge as Any?)] where part != nil {
            let observation = Observation(
                contract: key,
                kind: given.kind,
                transaction: event == "t" ? given.charge : nil,
                snapshot: event == "s" ? given.snapshot : nil
            )
            _ = contract.apply(observation, event: event, signedAt: Self.now)
        }
        #expect(contract.status(at: Self.now) == given.status)
    }

    struct Trial: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var statements: [Statement]
        var state = ContractState.active
        var isTrial: Bool

        enum Statement: Sendable { case snapshot(Snapshot), charge(Transaction) }
    }

    private static let trial = Trial.Statement.charge(charge(day: 3, bought: -4, signed: -4, isTrial: true))
    private static let said = Trial.Statement.snapshot(snapshot(.active, day: 3, signed: -4, isTrial: true))
    private static let paid = Trial.Statement.charge(charge(day: 30, bought: -1))

    /// In whatever order a posted transaction, the store's status and the charge arrive.
    @Test(arguments: [
        Trial(testDescription: "posted", statements: [trial], isTrial: true),
        Trial(testDescription: "posted and confirmed", statements: [trial, said], isTrial: true),
        Trial(
            testDescription: "cancelled",
            statements: [trial, said, .snapshot(snapshot(.cancelled, day: 3, isTrial: true))],
            state: .cancelled,
            isTrial: true
        ),
        Trial(testDescription: "paid, as posted", statements: [trial, said, paid], isTrial: false),
        Trial(
            testDescription: "paid, and confirmed",
            statements: [trial, said, paid, .snapshot(snapshot(.active, day: 30))],
            isTrial: false
        ),
        Trial(
            testDescription: "not paid",
            statements: [trial, said, .snapshot(snapshot(.inGracePeriod, day: 5, isTrial: true))],
            state: .inGracePeriod,
            isTrial: false
        ),
        Trial(
            testDescription: "over",
            statements: [.charge(charge(day: -1, bought: -8, signed: -8, isTrial: true))],
            state: .expired,
            isTrial: false
        ),
    ]) func trialIsThePresentPeriod(_ given: Trial) {
        let key = ContractKey(provider: .apple, environment: .production, app: "a", lineage: "1")
        for order in permutations(Array(given.statements.indices)) {
            var contract = Contract(key: key, kind: .subscription)
            for index in order {
                var observation = Observation(contract: key, kind: .subscription)
                switch given.statements[index] {
                case .snapshot(let snapshot): observation.snapshot = snapshot
                case .charge(let charge): observation.transaction = charge
                }
                _ = contract.apply(observation, event: "\(index)", signedAt: Self.now)
            }
            let status = contract.status(at: Self.now)
            #expect(status?.state == given.state && status?.isTrial == given.isTrial, "\(order)")
            #expect(status?.trialEndsAt == (given.isTrial ? Self.day(3) : nil), "\(order)")
        }
    }

    private func permutations(_ items: [Int]) -> [[Int]] {
        guard !items.isEmpty else { return [[]] }
        return items.flatMap { item in permutations(items.filter { $0 != item }).map { [item] + $0 } }
    }

    @Test func snapshotKnowsTheTransactionBesideIt() {
        let key = ContractKey(provider: .apple, environment: .production, app: "a", lineage: "1")
        var contract = Contract(key: key, kind: .subscription)
        let observation = Observation(
            contract: key,
            kind: .subscription,
            transaction: Self.charge(day: 30, signed: -1),
            snapshot: Self.snapshot(.revoked, day: nil, signed: -2)
        )
        _ = contract.apply(observation, event: "e", signedAt: Self.now)
        #expect(contract.status(at: Self.now)?.state == .revoked)
    }

    private static func day(_ day: Int64) -> Instant { now + .seconds(day * 86_400) }

    private static func snapshot(_ state: ContractState, day: Int64?, signed: Int64 = -1, isTrial: Bool = false)
        -> Snapshot
    {
        Snapshot(
            state: state,
            product: "p",
            autoRenew: true,
            accessUntil: day.map { Self.day($0) },
            signedAt: Self.day(signed),
            isTrial: isTrial
        )
    }

    private static func charge(
        day: Int64?,
        revoked: Int64? = nil,
        bought: Int64 = -1,
        signed: Int64 = -1,
        isTrial: Bool = false
    ) -> Transaction {
        Transaction(
            id: "t",
            product: "p",
            purchasedAt: Self.day(bought),
            expiresAt: day.map { Self.day($0) },
            revokedAt: revoked.map { Self.day($0) },
            isTrial: isTrial,
            signedAt: Self.day(signed)
        )
    }

    private static func status(_ state: ContractState, day: Int64?, autoRenew: Bool? = true) -> ContractStatus {
        ContractStatus(state: state, product: "p", accessUntil: day.map { Self.day($0) }, autoRenew: autoRenew)
    }
}
