import Domain
import Simulator
import TestSupport
import Testing

@testable import Commands

/// Whatever a store is documented to say, `trigger` says by name.
@Suite(.blocking) struct StoreEventParserTests {
    struct Store: Sendable, CustomTestStringConvertible {
        var provider: Provider
        /// The names that the normalized events stand for, in their order.
        var names: String

        var testDescription: String { provider.rawValue }
    }

    @Test(arguments: [
        Store(
            provider: .apple,
            names: """
                SUBSCRIBED/INITIAL_BUY SUBSCRIBED/RESUBSCRIBE DID_RENEW DID_RENEW/BILLING_RECOVERY
                DID_CHANGE_RENEWAL_PREF/UPGRADE OFFER_REDEEMED/UPGRADE DID_CHANGE_RENEWAL_PREF/DOWNGRADE
                OFFER_REDEEMED/DOWNGRADE DID_CHANGE_RENEWAL_PREF DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED
                DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED OFFER_REDEEMED DID_FAIL_TO_RENEW/GRACE_PERIOD
                DID_FAIL_TO_RENEW GRACE_PERIOD_EXPIRED EXPIRED/VOLUNTARY EXPIRED/BILLING_RETRY EXPIRED/PRICE_INCREASE
                EXPIRED/PRODUCT_NOT_FOR_SALE EXPIRED RENEWAL_EXTENDED RENEWAL_EXTENSION/FAILURE
                RENEWAL_EXTENSION/SUMMARY PRICE_INCREASE/PENDING PRICE_CHANGE PRICE_INCREASE/ACCEPTED
                ONE_TIME_CHARGE CONSUMPTION_REQUEST REFUND REFUND_DECLINED REFUND_REVERSED REVOKE MIGRATION
                METADATA_UPDATE EXTERNAL_PURCHASE_TOKEN RESCIND_CONSENT TEST
                """
        ),
        Store(
            provider: .google,
            names: """
                SUBSCRIPTION_PURCHASED SUBSCRIPTION_PURCHASED/trial SUBSCRIPTION_PURCHASED/pending
                SUBSCRIPTION_PENDING_PURCHASE_CANCELED ONE_TIME_PRODUCT_CANCELED SUBSCRIPTION_PURCHASED/resubscribe
                SUBSCRIPTION_RENEWED SUBSCRIPTION_RECOVERED SUBSCRIPTION_PURCHASED/upgrade
                SUBSCRIPTION_PURCHASED/downgrade SUBSCRIPTION_CANCELED SUBSCRIPTION_CANCELLATION_SCHEDULED
                SUBSCRIPTION_RESTARTED SUBSCRIPTION_ITEMS_CHANGED/offer SUBSCRIPTION_IN_GRACE_PERIOD
                SUBSCRIPTION_ON_HOLD SUBSCRIPTION_EXPIRED SUBSCRIPTION_EXPIRED/billing SUBSCRIPTION_EXPIRED/price
                SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED SUBSCRIPTION_PAUSED SUBSCRIPTION_DEFERRED
                SUBSCRIPTION_PRICE_CHANGE_UPDATED SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED
                SUBSCRIPTION_PRICE_CHANGE_CONFIRMED ONE_TIME_PRODUCT_PURCHASED PENDING_REFUND_REVIEW
                SUBSCRIPTION_REVOKED VOIDED_PURCHASE VOIDED_PURCHASE/past SUBSCRIPTION_ITEMS_CHANGED TEST
                """
        ),
        Store(
            provider: .stripe,
            names: """
                checkout.session.completed customer.subscription.created customer.subscription.created/trialing
                customer.subscription.created/incomplete checkout.session.completed/unpaid checkout.session.expired
                checkout.session.async_payment_failed customer.subscription.updated/incomplete_expired invoice.paid
                customer.subscription.updated/recovered customer.subscription.updated/price
                subscription_schedule.updated customer.subscription.updated/pending_update
                customer.subscription.pending_update_expired customer.subscription.updated/cancel
                customer.subscription.updated/keep customer.subscription.updated/discount invoice.payment_failed
                customer.subscription.updated/past_due customer.subscription.updated/unpaid
                customer.subscription.deleted customer.subscription.deleted/payment_failed
                customer.subscription.paused customer.subscription.resumed customer.subscription.updated/trial_end
                charge.dispute.created charge.refunded charge.dispute.closed/lost charge.refunded/partial
                charge.dispute.closed/won charge.dispute.funds_reinstated refund.failed
                """
        ),
        Store(
            provider: .revenuecat,
            names: """
                INITIAL_PURCHASE INITIAL_PURCHASE/TRIAL RENEWAL RENEWAL/UPGRADE PRODUCT_CHANGE
                CANCELLATION/UNSUBSCRIBE UNCANCELLATION BILLING_ISSUE/GRACE BILLING_ISSUE EXPIRATION/UNSUBSCRIBE
                EXPIRATION/BILLING_ERROR EXPIRATION/PRICE_INCREASE EXPIRATION/UNKNOWN SUBSCRIPTION_PAUSED
                EXPIRATION/SUBSCRIPTION_PAUSED SUBSCRIPTION_EXTENDED NON_RENEWING_PURCHASE
                CANCELLATION/CUSTOMER_SUPPORT REFUND_REVERSED CANCELLATION/FAMILY INITIAL_PURCHASE/FAMILY TRANSFER
                TEMPORARY_ENTITLEMENT_GRANT TEST
                """
        ),
        Store(
            provider: .purchasekit,
            names: "subscription.created subscription.updated subscription.canceled subscription.expired"
        ),
    ]) func everyDocumentedEventIsKnown(_ store: Store) throws {
        let words = StoreEventParser(
            vocabulary: LifecycleEventNames(store.provider),
            types: SimulatedStores.store(store.provider)?.types ?? []
        )
        for name in store.names.split(whereSeparator: \.isWhitespace) {
            let event = try #require(try words.events(String(name)).last)
            #expect(words.hint(about: event.type) == nil, "\(name)")
        }
        for step in words.vocabulary.steps { #expect(words.list.contains("\(step.rawValue) "), "\(step)") }
    }

    struct Word: Sendable, CustomTestStringConvertible {
        var provider: Provider
        var word: String
        var kind = ProductKind.subscription
        var types: [String]

        var testDescription: String { "\(provider) \(word) \(kind)" }
    }

    @Test(arguments: [
        Word(provider: .revenuecat, word: "upgrade", types: ["PRODUCT_CHANGE", "RENEWAL"]),
        Word(provider: .revenuecat, word: "downgrade", types: ["PRODUCT_CHANGE"]),
        Word(
            provider: .stripe,
            word: "reversed",
            kind: .nonConsumable,
            types: ["charge.dispute.funds_reinstated"]
        ),
        Word(provider: .apple, word: "trial", types: ["SUBSCRIBED"]),
        Word(provider: .stripe, word: "trial", types: ["customer.subscription.created"]),
        Word(provider: .stripe, word: "refund", kind: .consumable, types: ["charge.refunded"]),
        Word(provider: .google, word: "initial", kind: .consumable, types: ["ONE_TIME_PRODUCT_PURCHASED"]),
    ]) func wordsStandForEvents(_ given: Word) throws {
        let words = StoreEventParser(vocabulary: LifecycleEventNames(given.provider, kind: given.kind), types: [])
        #expect(try words.events(given.word).map(\.type) == given.types)
    }

    @Test func whatAStoreLacksIsExplained() throws {
        let words = StoreEventParser(vocabulary: LifecycleEventNames(.stripe), types: [])
        let error = #expect(throws: CommandFailure.self) { try words.events("reversed") }
        #expect(error?.message.contains("with --kind non_consumable it has") == true)
        let once = StoreEventParser(vocabulary: LifecycleEventNames(.purchasekit, kind: .consumable), types: [])
        let nothing = #expect(throws: CommandFailure.self) { try once.events("initial") }
        #expect(nothing?.message.contains("for what is bought once") == true)
    }

    @Test func listNeedsNoServer() throws {
        let process = PaycastProgram.start(["trigger", "stripe", "--list"])
        #expect(try process.waitForExit() == 0)
        #expect(process.output.contains("\nexpire      customer.subscription.deleted\n"), "\(process.output)")
        #expect(process.output.hasSuffix("\nentitlements.active_entitlement_summary.updated\n"))
    }
}
