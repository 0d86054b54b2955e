import Domain
import Stores
import Testing

@Suite struct AppleStatementTests {
    private static let end = Specimen.now + .seconds(2_592_000)
    private static let past = Specimen.now - .seconds(3600)
    private static let graceEnd = Specimen.now + .seconds(86_400)

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status: Int64
        var autoRenew: Int64
        var state: ContractState?
        var accessUntil: Instant? = AppleStatementTests.end
        var periodEnd = AppleStatementTests.end
        var graceEnd: Instant? = AppleStatementTests.graceEnd
    }

    @Test(arguments: [
        Case(testDescription: "active", status: 1, autoRenew: 1, state: .active),
        Case(testDescription: "renewal is off", status: 1, autoRenew: 0, state: .cancelled),
        Case(testDescription: "expired", status: 2, autoRenew: 0, state: .expired),
        Case(
            testDescription: "billing retry",
            status: 3,
            autoRenew: 1,
            state: .inBillingRetry,
            accessUntil: past,
            periodEnd: past
        ),
        Case(testDescription: "billing retry in a paid period", status: 3, autoRenew: 1, state: .inGracePeriod),
        Case(
            testDescription: "grace without a date",
            status: 4,
            autoRenew: 1,
            state: .inGracePeriod,
            accessUntil: past + .seconds(3 * 86_400),
            periodEnd: past,
            graceEnd: nil
        ),
        Case(testDescription: "grace", status: 4, autoRenew: 1, state: .inGracePeriod, accessUntil: graceEnd),
        Case(testDescription: "revoked", status: 5, autoRenew: 0, state: .revoked),
        Case(testDescription: "unknown", status: 6, autoRenew: 1, state: nil),
        Case(testDescription: "zero", status: 0, autoRenew: 1, state: nil),
    ]) func stateComesFromTheStatus(_ given: Case) throws {
        var specimen = try Specimen()
        specimen.outer.payload["notificationType"] = "SOMETHING_NEW"
        specimen.outer.payload["data"]?["status"] = .number(String(given.status))
        specimen.renewal?.payload["autoRenewStatus"] = .number(String(given.autoRenew))
        specimen.transaction?.payload["expiresDate"] = .number(String(given.periodEnd.milliseconds))
        specimen.renewal?.payload["gracePeriodExpiresDate"] = given.graceEnd.map { .number(String($0.milliseconds)) }
        let observation = try #require(try specimen.verify().observation)
        #expect(observation.snapshot?.state == given.state)
        #expect(given.state == nil || observation.snapshot?.accessUntil == given.accessUntil)
        #expect(observation.transaction?.id == "2000000000000002")
    }

    private func snapshot(_ change: (inout Specimen) -> Void) throws -> Snapshot? {
        var specimen = try Specimen()
        change(&specimen)
        return try specimen.verify().observation?.snapshot
    }

    @Test func pendingProductIsWhatTheNextRenewalBuys() throws {
        let pending = try snapshot { $0.renewal?.payload["autoRenewProductId"] = "pro.basic" }
        #expect(pending?.product == "pro.monthly")
        #expect(pending?.pendingProduct == "pro.basic")
    }

    @Test func nothingIsPendingWhenRenewalIsOff() throws {
        let ending = try snapshot {
            $0.renewal?.payload["autoRenewProductId"] = "pro.basic"
            $0.renewal?.payload["autoRenewStatus"] = 0
        }
        #expect(ending?.state == .cancelled)
        #expect(ending?.pendingProduct == nil)
    }

    @Test func orderingKeyIsTheNewestInnerDate() throws {
        let newer = try snapshot { $0.renewal?.payload["signedDate"] = .number(String(Specimen.now.milliseconds + 7)) }
        #expect(newer?.signedAt.milliseconds == Specimen.now.milliseconds + 7)
        let outer = try snapshot {
            $0.outer.payload["signedDate"] = .number(String(Specimen.now.milliseconds - 9))
            $0.renewal?.payload["signedDate"] = nil
            $0.transaction?.payload["signedDate"] = nil
        }
        #expect(outer?.signedAt.milliseconds == Specimen.now.milliseconds - 9)
    }

    @Test func refundOfAnOlderPeriodDoesNotEndTheRunningOne() throws {
        let refund: (inout Specimen) -> Void = {
            $0.outer.payload["notificationType"] = "REFUND"
            $0.transaction?.payload["revocationDate"] = .number(String(Specimen.now.milliseconds))
            $0.transaction?.payload["expiresDate"] = 1_740_000_000_000
            $0.transaction?.payload["productId"] = "pro.old"
        }
        let known = try snapshot {
            refund(&$0)
            $0.renewal?.payload["renewalDate"] = .number(String(Self.end.milliseconds))
        }
        #expect(known?.state == .active)
        #expect(known?.product == "pro.monthly")
        #expect(known?.accessUntil == Self.end)
        #expect(try snapshot(refund) == nil)
    }

    @Test func withoutAStatusThereIsOnlyATransaction() throws {
        var specimen = try Specimen()
        specimen.outer.payload["data"]?["status"] = nil
        let observation = try #require(try specimen.verify().observation)
        #expect(observation.snapshot == nil)
        #expect(observation.transaction?.expiresAt == Self.end)
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: ProductKind
    }

    @Test(arguments: [
        Kind(testDescription: "Consumable", kind: .consumable),
        Kind(testDescription: "Non-Consumable", kind: .nonConsumable),
        Kind(testDescription: "Non-Renewing Subscription", kind: .nonRenewing),
    ]) func whatIsBoughtOnceHasNoSnapshot(_ given: Kind) throws {
        var specimen = try Specimen()
        specimen.outer.payload["notificationType"] = "ONE_TIME_CHARGE"
        specimen.outer.payload["subtype"] = nil
        specimen.transaction?.payload["type"] = .text(given.testDescription)
        specimen.transaction?.payload["quantity"] = 3
        let event = try specimen.verify()
        #expect(event.kind == .purchaseCompleted)
        #expect(event.observation?.kind == given.kind)
        #expect(event.observation?.snapshot == nil)
        #expect(event.observation?.transaction?.quantity == 3)
    }

    @Test func unknownTypeOfProductOpensNothingForEver() throws {
        var specimen = try Specimen()
        specimen.transaction?.payload["type"] = "Lifetime Pass"
        specimen.transaction?.payload["expiresDate"] = nil
        #expect(try specimen.verify().observation?.kind == .consumable)
    }

    struct Offer: Sendable {
        var type: Int64?
        var discount: String?
        var isTrial = false
    }

    @Test(arguments: [
        Offer(type: 1, discount: "FREE_TRIAL", isTrial: true), Offer(type: 1, discount: "PAY_AS_YOU_GO"),
        Offer(type: 3, discount: "FREE_TRIAL"), Offer(type: nil, discount: "FREE_TRIAL"), Offer(type: 1, discount: nil),
    ]) func trialIsAFreeIntroductoryOffer(_ offer: Offer) throws {
        var specimen = try Specimen()
        specimen.transaction?.payload["offerType"] = offer.type.map { .number(String($0)) }
        specimen.transaction?.payload["offerDiscountType"] = offer.discount.map { .text($0) }
        let observation = try specimen.verify().observation
        #expect(observation?.transaction?.isTrial == offer.isTrial && observation?.snapshot?.isTrial == offer.isTrial)
    }

    /// An empty text says nothing.
    @Test(arguments: [
        "outer.subtype", "transaction.previousOriginalTransactionId", "transaction.appTransactionId",
        "transaction.subscriptionGroupIdentifier", "transaction.appAccountToken", "transaction.inAppOwnershipType",
        "transaction.type", "renewal.productId", "renewal.autoRenewProductId",
    ]) func emptyTextCountsAsAbsent(_ place: String) throws {
        let parts = place.split(separator: ".").map(String.init)
        func event(_ value: JSON?) throws -> Event {
            var specimen = try Specimen()
            switch parts[0] {
            case "outer": specimen.outer.payload[parts[1]] = value
            case "transaction": specimen.transaction?.payload[parts[1]] = value
            default: specimen.renewal?.payload[parts[1]] = value
            }
            var event = try specimen.verify()
            (event.body, event.header) = ([], nil)
            return event
        }
        #expect(try event("") == event(nil))
    }

    @Test(arguments: ["signedRenewalInfo", "signedTransactionInfo"]) func emptyDocumentCountsAsAbsent(_ name: String)
        throws
    {
        var specimen = try Specimen()
        if name == "signedRenewalInfo" { specimen.renewal = nil } else { specimen.transaction = nil }
        specimen.outer.payload["data"]?[name] = ""
        #expect(try specimen.verify().kind == .subscriptionStarted)
    }

    @Test(arguments: ["notificationType", "notificationUUID"]) func emptyTextIsNotStated(_ name: String) throws {
        var specimen = try Specimen()
        specimen.outer.payload[name] = ""
        #expect(throws: VerificationError.malformed(.invalidPayload)) { try specimen.verify() }
    }

    struct MistypedMember: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var apply: @Sendable (inout Specimen) -> Void
    }

    /// A genuine notification is not lost for a member that neither opens nor ends anything.
    @Test(arguments: [
        MistypedMember(testDescription: "price as text") { $0.transaction?.payload["price"] = "9.99" },
        MistypedMember(testDescription: "price beyond all money") { $0.transaction?.payload["price"] = .raw("1e400") },
        MistypedMember(testDescription: "quantity beyond all integers") {
            $0.transaction?.payload["quantity"] = .raw("1e30")
        },
        MistypedMember(testDescription: "broken quantity") { $0.transaction?.payload["quantity"] = 1.5 },
        MistypedMember(testDescription: "currency as a number") { $0.transaction?.payload["currency"] = 840 },
        MistypedMember(testDescription: "currency of two lines") { $0.transaction?.payload["currency"] = "US\nD" },
        MistypedMember(testDescription: "reason as a list") {
            $0.transaction?.payload["transactionReason"] = ["RENEWAL"]
        },
        MistypedMember(testDescription: "upgraded as text") { $0.transaction?.payload["isUpgraded"] = "false" },
        MistypedMember(testDescription: "renewal date as text") { $0.renewal?.payload["renewalDate"] = "2026-01-31" },
        MistypedMember(testDescription: "renewal date beyond all calendars") {
            $0.renewal?.payload["renewalDate"] = .raw("1e30")
        },
        MistypedMember(testDescription: "all of them absent") {
            for name in ["price", "currency", "quantity"] { $0.transaction?.payload[name] = nil }
        },
    ]) func mistypedMemberThatDecidesNothingIsNotStated(_ misfit: MistypedMember) throws {
        var specimen = try Specimen()
        misfit.apply(&specimen)
        let event = try specimen.verify()
        #expect(event.kind == .subscriptionStarted)
        #expect(event.observation?.transaction?.quantity == 1)
        #expect(event.observation?.transaction?.currency.map { $0 == "USD" } ?? true)
        #expect(event.observation?.snapshot?.state == .active)
        #expect(event.observation?.snapshot?.accessUntil == Self.end)
    }
}
