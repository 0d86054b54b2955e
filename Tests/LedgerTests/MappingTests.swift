import Domain
import TestSupport
import Testing

@testable import Ledger

/// Every row of payments.md table 9.5 that changes something: the normalized event, the state it leaves, and what the
/// pages of the user receive. The stores' own words for the rows are their verifiers' tests.
@Suite(.timeLimit(.minutes(10))) struct MappingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var number: Int
        var name: String
        /// What happened before.
        var before: [Said] = []
        var said: Said
        var state: ContractState
        var fragments: [String]
        var testDescription: String { "row \(number): \(name)" }
    }

    struct Said: Sendable {
        var kind: EventKind
        var state: ContractState
        var product = "monthly"
        var pending: String?
        var days: Int64 = 30
        var provider = Provider.apple
    }

    private static let started = Said(kind: .subscriptionStarted, state: .active)
    private static let waiting = Said(kind: .purchasePending, state: .pending)
    private static let grace = Said(kind: .graceStarted, state: .inGracePeriod, days: 46)
    private static let retry = Said(kind: .billingRetry, state: .inBillingRetry, days: 0)
    private static let off = Said(kind: .autoRenewOff, state: .cancelled)
    private static let paused = Said(kind: .paused, state: .paused, days: 0)
    private static let refunded = Said(kind: .refundCompleted, state: .revoked, days: 0)
    private static let downgrade = Said(kind: .planChangeScheduled, state: .active, pending: "basic")

    private static func both(_ paywall: String, _ status: String) -> [String] {
        ["paywall=\(paywall)", "subscription_status=\(status)"]
    }

    private static let rows = [
        Row(number: 1, name: "started", said: started, state: .active, fragments: both("success", "manage")),
        Row(number: 3, name: "pending", said: waiting, state: .pending, fragments: both("pending", "pending")),
        Row(
            number: 4,
            name: "pending cancelled",
            before: [waiting],
            said: Said(kind: .purchasePendingCancelled, state: .expired, days: 0),
            state: .expired,
            fragments: both("paywall", "paywall")
        ),
        Row(
            number: 5,
            name: "resubscribed",
            before: [started, Said(kind: .subscriptionExpired, state: .expired, days: 0)],
            said: Said(kind: .subscriptionResubscribed, state: .active),
            state: .active,
            fragments: both("success", "manage")
        ),
        Row(
            number: 6,
            name: "renewed",
            before: [started],
            said: Said(kind: .subscriptionRenewed, state: .active, days: 60),
            state: .active,
            fragments: ["subscription_status=manage"]
        ),
        Row(
            number: 7,
            name: "recovered, access was off",
            before: [started, retry],
            said: Said(kind: .subscriptionRecovered, state: .active, days: 60),
            state: .active,
            fragments: both("success", "manage")
        ),
        Row(
            number: 7,
            name: "recovered in grace",
            before: [started, grace],
            said: Said(kind: .subscriptionRecovered, state: .active, days: 60),
            state: .active,
            fragments: ["subscription_status=manage"]
        ),
        Row(
            number: 8,
            name: "plan changed",
            before: [started],
            said: Said(kind: .planChanged, state: .active, product: "yearly"),
            state: .active,
            fragments: both("success", "manage")
        ),
        Row(
            number: 9,
            name: "plan change scheduled",
            before: [started],
            said: downgrade,
            state: .active,
            fragments: ["subscription_status=ending"]
        ),
        Row(
            number: 10,
            name: "plan change cancelled",
            before: [started, downgrade],
            said: Said(kind: .planChangeCancelled, state: .active),
            state: .active,
            fragments: ["subscription_status=manage"]
        ),
        Row(
            number: 11,
            name: "renewal off",
            before: [started],
            said: off,
            state: .cancelled,
            fragments: ["subscription_status=ending"]
        ),
        Row(
            number: 12,
            name: "renewal on",
            before: [started, off],
            said: Said(kind: .autoRenewOn, state: .active),
            state: .active,
            fragments: ["subscription_status=manage"]
        ),
        Row(
            number: 14,
            name: "grace",
            before: [started],
            said: grace,
            state: .inGracePeriod,
            fragments: ["subscription_status=warn_billing"]
        ),
        Row(
            number: 15,
            name: "billing retry",
            before: [started],
            said: retry,
            state: .inBillingRetry,
            fragments: both("fix_billing", "fix_billing")
        ),
        Row(
            number: 16,
            name: "expired",
            before: [started, off],
            said: Said(kind: .subscriptionExpired, state: .expired, days: 0),
            state: .expired,
            fragments: both("paywall", "paywall")
        ),
        Row(
            number: 17,
            name: "expired after the retries",
            before: [started, retry],
            said: Said(kind: .subscriptionExpired, state: .expired, days: 0),
            state: .expired,
            fragments: both("paywall", "paywall")
        ),
        Row(
            number: 20,
            name: "pause scheduled",
            before: [started],
            said: Said(kind: .pauseScheduled, state: .active),
            state: .active,
            fragments: ["subscription_status=ending"]
        ),
        Row(
            number: 21,
            name: "paused",
            before: [started],
            said: paused,
            state: .paused,
            fragments: both("paused", "paused")
        ),
        Row(
            number: 22,
            name: "resumed",
            before: [started, paused],
            said: Said(kind: .resumed, state: .active, days: 60),
            state: .active,
            fragments: both("success", "manage")
        ),
        Row(
            number: 23,
            name: "extended",
            before: [started],
            said: Said(kind: .subscriptionExtended, state: .active, days: 37),
            state: .active,
            fragments: ["subscription_status=manage"]
        ),
        Row(
            number: 29,
            name: "refunded",
            before: [started],
            said: refunded,
            state: .revoked,
            fragments: both("revoked", "revoked")
        ),
        Row(
            number: 30,
            name: "an older period refunded",
            before: [started],
            said: Said(kind: .refundCompleted, state: .active),
            state: .active,
            fragments: []
        ),
        Row(
            number: 31,
            name: "refund declined",
            before: [started],
            said: Said(kind: .refundDeclined, state: .active),
            state: .active,
            fragments: []
        ),
        Row(
            number: 32,
            name: "refund reversed",
            before: [started, refunded],
            said: Said(kind: .refundReversed, state: .active),
            state: .active,
            fragments: both("success", "manage")
        ),
        Row(
            number: 33,
            name: "family sharing ended",
            before: [started],
            said: Said(kind: .familyRevoked, state: .revoked, days: 0),
            state: .revoked,
            fragments: both("revoked", "revoked")
        ),
        Row(
            number: 34,
            name: "family sharing began",
            said: Said(kind: .familyGranted, state: .active),
            state: .active,
            fragments: both("success", "manage")
        ),
        Row(
            number: 36,
            name: "provisional access",
            said: Said(kind: .accessProvisional, state: .active, days: 1, provider: .revenuecat),
            state: .active,
            fragments: both("success", "manage")
        ),
        Row(
            number: 36,
            name: "provisional access, confirmed",
            before: [Said(kind: .accessProvisional, state: .active, days: 1, provider: .revenuecat)],
            said: Said(kind: .subscriptionStarted, state: .active, provider: .revenuecat),
            state: .active,
            fragments: ["subscription_status=manage"]
        ),
        Row(
            number: 42,
            name: "an unknown event with a snapshot",
            before: [started],
            said: Said(kind: .providerUnknown, state: .inGracePeriod, days: 46),
            state: .inGracePeriod,
            fragments: ["subscription_status=warn_billing"]
        ),
    ]

    @Test(arguments: rows)
    func row(_ row: Row) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        for (minute, said) in (row.before + [row.said]).enumerated() {
            var event = Stories.subscription(
                "e\(minute)",
                said.state,
                minute: Int64(minute),
                product: said.product,
                pending: said.pending,
                until: .seconds(said.days * 86_400),
                token: token,
                key: Stories.key(provider: said.provider)
            )
            if said.state == .pending { event.observation?.snapshot?.accessUntil = nil }
            event.kind = said.kind
            _ = try ledger.send(event)
        }
        let entry = try #require(try ledger.entries().entries.last)
        #expect(entry.notice.kind == row.said.kind)
        #expect(entry.notice.state == row.state)
        #expect(entry.fragments.summary == row.fragments)
    }

    /// Rows 24, 25, 26, 28, 37, 38 and 40: nothing is said of access.
    @Test(arguments: [
        EventKind.extensionFailed, .extensionSummary, .priceChangePending, .priceChangeAccepted, .refundRequested,
        .contractUpdated, .externalToken, .providerTest, .providerUnknown,
    ])
    func rowsWithoutAState(kind: EventKind) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        #expect(try ledger.send(Stories.event("e1", kind, nil)).outcome == .ignored)
        #expect(try ledger.entries().entries.map(\.fragments) == [[]])
    }

    /// Row 27: a consumable is handed over once for each transaction, as often as it is said.
    @Test func row27Purchase() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "coins")).order.token
        for minute in 0..<3 {
            var event = Stories.purchase(
                "e\(minute)",
                .consumable,
                product: "coins",
                minute: Int64(minute),
                token: token
            )
            event.observation?.transaction?.quantity = 3
            _ = try ledger.send(event)
        }
        let told = try ledger.entries().entries.flatMap(\.fragments)
        #expect(told.summary == ["paywall=success"])
        guard case .template(_, let values)? = told.first?.content else { throw LedgerError.busy }
        #expect(values["quantity"] == "3")
        #expect(try ledger.entitlements("42").entitlements.map(\.quantity) == [3])
        _ = try ledger.send(Stories.purchase("e4", .consumable, product: "coins", minute: 9, revoked: true))
        #expect(try ledger.entitlements("42").entitlements.map(\.state) == [.revoked])
    }
}
