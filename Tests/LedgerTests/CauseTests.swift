import Domain
import Ledger
import TestSupport
import Testing

/// Templates learn why a page changes from `{{event}}` and `{{reason}}`.
@Suite(.blocking) struct CauseTests {
    private static func event(
        _ id: String,
        kind: EventKind,
        state: ContractState,
        minute: Int64,
        reason: String? = nil,
        lineage: String = "1",
        token: OrderToken
    ) -> Event {
        let end: Duration = state.givesAccess ? .seconds(30 * 86_400) : .zero
        let key = Fixture.key(lineage)
        var event = Fixture.subscription(
            id,
            state: state,
            minute: minute,
            until: end,
            token: token,
            group: nil,
            key: key
        )
        event.kind = kind
        event.subtype = reason
        return event
    }

    private func words(_ entry: Entry?) -> Set<String> {
        Set(
            (entry?.fragments ?? []).compactMap {
                guard case .template(let name, let values) = $0.content else { return nil }
                return "\(name) \(values["event"] ?? "absent") \(values["reason"] ?? "absent")"
            }
        )
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: EventKind
        var state: ContractState
        var reason: String?
        var words: Set<String>
    }

    @Test(arguments: [
        Case(
            testDescription: "row 17: expired unpaid",
            kind: .subscriptionExpired,
            state: .expired,
            reason: "BILLING_RETRY",
            words: ["paywall subscription.expired BILLING_RETRY"]
        ),
        Case(
            testDescription: "row 18: a higher price refused",
            kind: .subscriptionExpired,
            state: .expired,
            reason: "PRICE_INCREASE",
            words: ["paywall subscription.expired PRICE_INCREASE"]
        ),
        Case(
            testDescription: "row 29: refunded, without a word",
            kind: .refundCompleted,
            state: .revoked,
            words: ["revoked refund.completed "]
        ),
    ]) func lossNamesItsReason(_ given: Case) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Self.event("e1", kind: .subscriptionStarted, state: .active, minute: 0, token: token))
        _ = try ledger.send(
            Self.event("e2", kind: given.kind, state: given.state, minute: 1, reason: given.reason, token: token)
        )
        #expect(words(try ledger.entries().entries.last) == given.words)
    }

    @Test func restoredAndProvisionalAccessAreToldApart() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Self.event("e1", kind: .accessProvisional, state: .active, minute: 0, token: token))
        #expect(
            words(try ledger.entries().entries.last) == ["success access.provisional ", "manage access.provisional "]
        )
        _ = try ledger.send(Self.event("e2", kind: .refundCompleted, state: .revoked, minute: 1, token: token))
        _ = try ledger.send(Self.event("e3", kind: .refundReversed, state: .active, minute: 2, token: token))
        #expect(words(try ledger.entries().entries.last) == ["success refund.reversed ", "manage refund.reversed "])
    }

    /// After a contract is lost, the page may show another one, to which nothing happened.
    @Test func anotherContractHasNoReason() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        let other = try ledger.order(OrderRequest(user: "42", product: "yearly")).order.token
        _ = try ledger.send(
            Self.event("e1", kind: .subscriptionStarted, state: .cancelled, minute: 0, lineage: "2", token: other)
        )
        _ = try ledger.send(
            Self.event("e2", kind: .subscriptionStarted, state: .active, minute: 1, lineage: "9", token: token)
        )
        _ = try ledger.send(
            Self.event(
                "e3",
                kind: .refundCompleted,
                state: .revoked,
                minute: 2,
                reason: "WHY",
                lineage: "9",
                token: token
            )
        )
        #expect(words(try ledger.entries().entries.last) == ["ending  ", "ending  "])
    }

    @Test func accessThatEndsByItselfSaysSo() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        var event = Self.event("e1", kind: .autoRenewOff, state: .cancelled, minute: 0, reason: "WHY", token: token)
        let end = TemporaryLedger.start + .seconds(3600)
        event.observation?.snapshot?.accessUntil = end
        _ = try ledger.send(event)
        try ledger.setClock(to: end - .milliseconds(200))
        let ended = ledger.committed.wait { entries in entries.first { $0.notice.kind == .accessEnded } }
        #expect(words(ended) == ["paywall access.ended "])
    }
}
