import Crypto
import Domain
import Stores
import TestSupport
import Testing

/// The status that renewal info states beside a transaction: Apple signs none there.
@Suite struct PostedRenewalTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Nil if the renewal info does not count.
        var state: ContractState?
        /// Seconds after the specimen's date.
        var end: Int64?
        var kind = EventKind.subscriptionStarted
        var apply: @Sendable (inout Specimen) -> Void
    }

    private static let period: Int64 = 2_592_000

    private static func date(_ seconds: Int64) -> JSON {
        .number(String((Specimen.now + .seconds(seconds)).milliseconds))
    }

    private static let cases = [
        Case(testDescription: "renews", state: .active, end: period) { _ in },
        Case(testDescription: "cancelled", state: .cancelled, end: period, kind: .autoRenewOff) {
            $0.renewal?.payload["autoRenewStatus"] = 0
        },
        Case(
            testDescription: "in retry before the period ends",
            state: .inGracePeriod,
            end: period,
            kind: .billingRetry
        ) {
            $0.renewal?.payload["isInBillingRetryPeriod"] = true
        },
        Case(testDescription: "in grace", state: .inGracePeriod, end: period + 9000, kind: .graceStarted) {
            $0.renewal?.payload["isInBillingRetryPeriod"] = true
            $0.renewal?.payload["gracePeriodExpiresDate"] = date(period + 9000)
            $0.renewal?.payload["signedDate"] = date(period + 1)
        },
        Case(testDescription: "after the grace", state: .inBillingRetry, end: period, kind: .billingRetry) {
            $0.renewal?.payload["isInBillingRetryPeriod"] = true
            $0.renewal?.payload["gracePeriodExpiresDate"] = date(period + 9000)
            $0.renewal?.payload["signedDate"] = date(period + 9000)
        },
        Case(testDescription: "expired", state: .expired, end: period, kind: .subscriptionExpired) {
            $0.renewal?.payload["autoRenewStatus"] = 0
            $0.renewal?.payload["signedDate"] = date(period)
        },
        Case(testDescription: "expired without consent", state: .expired, end: period, kind: .subscriptionExpired) {
            $0.renewal?.payload["expirationIntent"] = 3
            $0.renewal?.payload["signedDate"] = date(period)
        },
        Case(testDescription: "its renewal is on the way", state: .active, end: period) {
            $0.renewal?.payload["signedDate"] = date(period)
        },
        Case(testDescription: "revoked", state: .revoked, end: period, kind: .refundCompleted) {
            $0.transaction?.payload["revocationDate"] = date(0)
        },
        Case(testDescription: "signed just before the transaction", state: .active, end: period) {
            $0.transaction?.payload["signedDate"] = date(60)
        },
        Case(testDescription: "older than the transaction") { $0.transaction?.payload["signedDate"] = date(61) },
        Case(testDescription: "beside an earlier period") { $0.renewal?.payload["renewalDate"] = date(2 * period) },
        Case(testDescription: "beside a later period") { $0.renewal?.payload["renewalDate"] = date(period - 9000) },
        Case(testDescription: "of no period") { $0.renewal?.payload["renewalDate"] = nil },
        Case(testDescription: "of another product") { $0.renewal?.payload["productId"] = "pro.annual" },
        Case(testDescription: "expired before the period ends") { $0.renewal?.payload["expirationIntent"] = 3 },
        Case(testDescription: "beside an earlier period that was refunded", kind: .refundCompleted) {
            $0.transaction?.payload["revocationDate"] = date(0)
            $0.renewal?.payload["renewalDate"] = date(2 * period)
        },
        Case(testDescription: "beside what an upgrade replaced") { $0.transaction?.payload["isUpgraded"] = true },
        Case(testDescription: "beside what does not expire", kind: .purchaseCompleted) {
            $0.transaction?.payload["type"] = "Non-Consumable"
            $0.transaction?.payload["expiresDate"] = nil
        },
    ]

    /// Its renewal info is of its transaction's period, as Apple's is.
    private func specimen() throws -> Specimen {
        var specimen = try Specimen()
        specimen.renewal?.payload["renewalDate"] = PostedRenewalTests.date(PostedRenewalTests.period)
        return specimen
    }

    private func verify(_ specimen: Specimen) throws -> Event {
        let verifier = try AppleVerifier(
            bundleIDs: specimen.bundleIDs,
            appIDs: .only([1]),
            environments: specimen.environments,
            roots: try #require(TrustedRoots([specimen.pki.root.certificate]))
        )
        return try verifier.verify(
            transaction: try #require(specimen.transaction).text(),
            renewalInfo: try specimen.renewal?.text(),
            now: Specimen.now + .seconds(100 * 86_400)
        )
    }

    @Test(arguments: cases) func states(_ given: Case) throws {
        var specimen = try specimen()
        given.apply(&specimen)
        let event = try verify(specimen)
        let snapshot = event.observation?.snapshot
        #expect(snapshot?.state == given.state)
        #expect(snapshot?.accessUntil == given.end.map { Specimen.now + .seconds($0) })
        #expect(event.kind == given.kind)
        specimen.renewal = nil
        let alone = try verify(specimen)
        #expect((alone.id == event.id) == (given.state == nil))
        #expect(alone.observation?.snapshot == nil)
    }

    @Test func nextProductIsPending() throws {
        var specimen = try specimen()
        specimen.renewal?.payload["autoRenewProductId"] = "pro.annual"
        #expect(try verify(specimen).observation?.snapshot?.pendingProduct == "pro.annual")
    }

    /// The later of the two dates, of which one alone is another event.
    @Test func newerSigningIsAnotherEvent() throws {
        var specimen = try specimen()
        let first = try verify(specimen)
        #expect(try verify(specimen).id == first.id)
        specimen.renewal?.payload["signedDate"] = PostedRenewalTests.date(5)
        let second = try verify(specimen)
        #expect(second.id != first.id && second.signedAt == Specimen.now + .seconds(5))
        #expect(second.observation?.snapshot?.signedAt == Specimen.now + .seconds(5))
    }

    /// As it was stored before renewal info counted.
    @Test func storedPostKeepsItsID() throws {
        let specimen = try specimen()
        var event = try verify(specimen)
        let verifier = try AppleVerifier(
            bundleIDs: specimen.bundleIDs,
            appIDs: .only([1]),
            environments: specimen.environments,
            roots: try #require(TrustedRoots([specimen.pki.root.certificate]))
        )
        let stored = StoredDelivery(
            id: "client:old",
            body: event.body,
            environment: event.environment,
            app: event.app,
            receivedAt: Specimen.now
        )
        event.id = "client:old"
        #expect(try verifier.interpret(stored) == event)
    }
}
