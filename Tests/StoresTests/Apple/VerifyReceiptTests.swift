import Domain
import Encoding
import Testing

@testable import Stores

/// Stored answers of `verifyReceipt`.
@Suite struct VerifyReceiptTests {
    /// An answer that a test changes. Numbers are strings in it, as Apple writes them.
    struct Answer: Sendable {
        var members: [String: JSON] = [
            "status": 0, "environment": "Sandbox",
            "receipt": ["bundle_id": "com.example.shop", "request_date_ms": "1767225600000", "in_app": []],
        ]
        var purchases: [JSON] = [period("2", from: 1_767_000_000_000, until: 1_769_904_000_000)]
        var renewal: JSON? = [
            "original_transaction_id": "1", "product_id": "pro.monthly", "auto_renew_product_id": "pro.monthly",
            "auto_renew_status": "1", "is_in_billing_retry_period": "0",
        ]
        var environment: StoreEnvironment?

        func migrate() throws -> [Event] {
            var members = members
            if !purchases.isEmpty { members["latest_receipt_info"] = .array(purchases) }
            if let renewal { members["pending_renewal_info"] = .array([renewal]) }
            let specimen = try ReceiptSpecimen()
            let node = try #require(JSONNode(JSON.object(members).bytes))
            return try specimen.verifier().migrate(node, environment: environment, body: [1], now: specimen.now)
        }
    }

    static func period(_ id: String, from start: Int64, until end: Int64?, more: [String: JSON] = [:]) -> JSON {
        var purchase: [String: JSON] = [
            "transaction_id": .text(id), "original_transaction_id": "1", "product_id": "pro.monthly",
            "purchase_date_ms": .text(String(start)), "quantity": "1", "subscription_group_identifier": "21",
        ]
        if let end { purchase["expires_date_ms"] = .text(String(end)) }
        return .object(purchase.merging(more) { $1 })
    }

    @Test func tellsStateAndRenewal() throws {
        let event = try #require(Answer().migrate().first)
        #expect(event.type == "VERIFY_RECEIPT")
        #expect(event.signedAt == Instant(milliseconds: 1_767_225_600_000), "when Apple was asked")
        #expect(event.kind == .subscriptionRenewed)
        let observation = try #require(event.observation)
        #expect(observation.contract.lineage == "1")
        #expect(observation.group == "21")
        #expect(observation.snapshot?.state == .active)
        #expect(observation.snapshot?.accessUntil == Instant(milliseconds: 1_769_904_000_000))
        #expect(observation.snapshot?.signedAt == event.signedAt)
    }

    @Test func firstItemIsNotTheNewest() throws {
        var answer = Answer()
        let old = Self.period("1", from: 1_764_000_000_000, until: 1_766_000_000_000)
        let upgraded = Self.period(
            "3",
            from: 1_767_100_000_000,
            until: 1_790_000_000_000,
            more: ["is_upgraded": "true"]
        )
        answer.purchases = [old, upgraded] + answer.purchases + [old]
        let events = try answer.migrate()
        #expect(events.count == 1)
        #expect(events.first?.observation?.transaction?.id == "2")
    }

    struct State: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var state: ContractState
        var end: Int64
        var apply: @Sendable (inout Answer) -> Void
    }

    static let ended = period("2", from: 1_764_000_000_000, until: 1_767_000_000_000)

    @Test(arguments: [
        State(testDescription: "renewal off", state: .cancelled, end: 1_769_904_000_000) {
            $0.renewal?["auto_renew_status"] = "0"
        },
        State(testDescription: "over", state: .expired, end: 1_767_000_000_000) { $0.purchases = [ended] },
        State(testDescription: "billing retry", state: .inBillingRetry, end: 1_767_000_000_000) {
            $0.purchases = [ended]
            $0.renewal?["is_in_billing_retry_period"] = "1"
        },
        State(testDescription: "grace", state: .inGracePeriod, end: 1_768_000_000_000) {
            $0.purchases = [ended]
            $0.renewal?["is_in_billing_retry_period"] = "1"
            $0.renewal?["grace_period_expires_date_ms"] = "1768000000000"
        },
        State(testDescription: "refunded", state: .revoked, end: 1_767_200_000_000) {
            $0.purchases[0]["cancellation_date_ms"] = "1767200000000"
            $0.purchases[0]["cancellation_reason"] = "0"
        },
    ]) func stateIsApples(_ state: State) throws {
        var answer = Answer()
        state.apply(&answer)
        let snapshot = try #require(answer.migrate().first?.observation?.snapshot)
        #expect(snapshot.state == state.state)
        #expect(snapshot.accessUntil == Instant(milliseconds: state.end))
    }

    @Test(arguments: ["true", "false", nil]) func trialIsStated(_ said: String?) throws {
        var answer = Answer()
        answer.purchases[0]["is_trial_period"] = said.map { .text($0) }
        let observation = try #require(answer.migrate().first?.observation)
        #expect(observation.transaction?.isTrial == (said == "true"))
        #expect(observation.snapshot?.isTrial == (said == "true"))
    }

    /// An empty text says nothing.
    @Test func emptyTextCountsAsAbsent() throws {
        var answer = Answer()
        for name in ["subscription_group_identifier", "app_account_token", "cancellation_reason"] {
            answer.purchases[0][name] = ""
        }
        answer.renewal?["auto_renew_product_id"] = ""
        let observation = try #require(answer.migrate().first?.observation)
        #expect(observation.group == nil && observation.snapshot?.pendingProduct == nil)
    }

    @Test func renewalOfAnotherContractSaysNothing() throws {
        var answer = Answer()
        answer.renewal?["original_transaction_id"] = "9"
        #expect(try answer.migrate().first?.observation?.snapshot == nil)
    }

    @Test func numbersMayBeNumbers() throws {
        var answer = Answer()
        answer.purchases[0]["purchase_date_ms"] = 1_767_000_000_000
        answer.renewal?["auto_renew_status"] = 0
        #expect(try answer.migrate().first?.observation?.snapshot?.state == .cancelled)
    }

    @Test func answersForIOS6AreReadAsWell() throws {
        var answer = Answer()
        (answer.purchases, answer.renewal, answer.environment) = ([], nil, .production)
        answer.members["environment"] = nil
        answer.members["status"] = 21_006
        answer.members["receipt"] = [
            "bid": "com.example.shop", "transaction_id": "7", "original_transaction_id": "5", "product_id": "pro",
            "purchase_date_ms": "1764000000000", "expires_date": "1766000000000",
            "expires_date_formatted": "2025-12-17 19:33:20 Etc/GMT",
        ]
        let event = try #require(answer.migrate().first)
        #expect(event.environment == .production)
        #expect(event.observation?.kind == .subscription)
        #expect(event.observation?.transaction?.expiresAt == Instant(milliseconds: 1_766_000_000_000))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        var isRetryable = false
        var apply: @Sendable (inout Answer) -> Void

        static func status(_ status: Int64, code: String, isRetryable: Bool = false, flag: JSON? = nil) -> Refusal {
            Refusal(
                testDescription: "status \(status)\(flag.map { ", is-retryable \($0.text)" } ?? "")",
                code: code,
                isRetryable: isRetryable
            ) {
                $0.members["status"] = .number(String(status))
                $0.members["is-retryable"] = flag
            }
        }
    }

    static let statuses: [Refusal] = [
        .status(21_000, code: "not_posted"),
        .status(21_001, code: "unknown_status"),
        .status(21_002, code: "malformed_receipt", isRetryable: true),
        .status(21_002, code: "malformed_receipt", flag: false),
        .status(21_003, code: "unauthenticated_receipt"),
        .status(21_004, code: "wrong_shared_secret"),
        .status(21_005, code: "apple_unavailable", isRetryable: true),
        .status(21_007, code: "sandbox_receipt"),
        .status(21_008, code: "production_receipt"),
        .status(21_009, code: "apple_internal_error", isRetryable: true),
        .status(21_010, code: "account_not_found"),
        .status(21_100, code: "apple_internal_error", isRetryable: true, flag: "1"),
        .status(21_199, code: "apple_internal_error", flag: "0"),
        .status(21_200, code: "unknown_status"),
        .status(-1, code: "unknown_status"),
    ]

    static let attacks = [
        Refusal(testDescription: "no status", code: "invalid_receipt") { $0.members["status"] = nil },
        Refusal(testDescription: "status beyond 64 bits", code: "invalid_receipt") {
            $0.members["status"] = .number("99999999999999999999")
        },
        Refusal(testDescription: "another bundle", code: "wrong_app", isRetryable: true) {
            $0.members["receipt"]?["bundle_id"] = "com.example.other"
        },
        Refusal(testDescription: "no bundle", code: "wrong_app", isRetryable: true) { $0.members["receipt"] = nil },
        Refusal(testDescription: "no environment", code: "unknown_environment") { $0.members["environment"] = nil },
        Refusal(testDescription: "Xcode", code: "wrong_environment", isRetryable: true) {
            $0.members["environment"] = "Xcode"
        },
        Refusal(testDescription: "asked in the future", code: "signed_in_future") {
            $0.members["receipt"]?["request_date_ms"] = "1767225900001"
        },
        Refusal(testDescription: "end that is no number", code: "invalid_receipt") {
            $0.purchases[0]["expires_date_ms"] = "soon"
        },
        Refusal(testDescription: "end beyond all calendars", code: "invalid_receipt") {
            $0.purchases[0]["expires_date_ms"] = "9223372036854775807"
        },
        Refusal(testDescription: "fractional end", code: "invalid_receipt") {
            $0.purchases[0]["expires_date_ms"] = 1.5e12
        },
        Refusal(testDescription: "no purchase date", code: "invalid_receipt") {
            $0.purchases[0]["purchase_date_ms"] = nil
        },
        Refusal(testDescription: "product with a line break", code: "invalid_receipt") {
            $0.purchases[0]["product_id"] = "a\nb"
        },
        Refusal(testDescription: "grace that is no number", code: "invalid_receipt") {
            $0.renewal?["grace_period_expires_date_ms"] = "soon"
        },
        Refusal(testDescription: "next product with a line break", code: "invalid_receipt") {
            $0.renewal?["auto_renew_product_id"] = "a\nb"
        },
    ]

    @Test(arguments: statuses + attacks) func saysWhatToDo(_ refusal: Refusal) throws {
        var answer = Answer()
        refusal.apply(&answer)
        let problem = #expect(throws: RefusedPurchase.self) { try answer.migrate() }
        #expect(problem?.code == refusal.code)
        switch problem {
        case .unproven(let error, _): #expect(error.isRetryable == refusal.isRetryable)
        case .unanswered: Issue.record("nobody was asked")
        case .unusable(_, let message, let isRetryable):
            #expect(isRetryable == refusal.isRetryable && message.hasSuffix("."))
        case nil: break
        }
    }
}
