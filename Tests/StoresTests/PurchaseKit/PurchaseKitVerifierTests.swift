import Crypto
import Encoding
import Stores
import Testing

@testable import Domain

/// PurchaseKit's signature, and its missing dates.
@Suite struct PurchaseKitVerifierTests {
    private static let month = PurchaseKitSpecimen.month

    private static let created = PurchaseKitSpecimen("subscription.created")

    struct Gap: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var event: PurchaseKitSpecimen
        var isKnown = true
        /// Afterwards; nil: it says nothing of a contract's state.
        var state: ContractState?
    }

    @Test(arguments: [
        Gap(
            testDescription: "it has ended, but not when",
            event: PurchaseKitSpecimen("subscription.expired", after: day).undated,
            state: .expired
        ),
        Gap(
            testDescription: "it is cancelled, but not until when: the known end stays",
            event: PurchaseKitSpecimen("subscription.canceled", after: day).undated,
            state: .active
        ),
        Gap(
            testDescription: "a status of tomorrow",
            event: PurchaseKitSpecimen("subscription.updated", after: day, changes: ["status": "frozen"]),
            state: .active
        ),
        Gap(testDescription: "bought without an end: it opens nothing", event: created.undated, isKnown: false),
    ]) func whatIsNotStatedStays(_ given: Gap) throws {
        var timeline = ContractTimeline()
        if given.isKnown { timeline.take(try Self.created.verify(), at: Self.created.now) }
        let status = timeline.take(try given.event.verify(), at: given.event.now)
        #expect(status?.state == given.state)
        #expect(status.map { $0.accessUntil != nil } ?? true)
    }

    struct Signature: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var make: @Sendable ([UInt8]) -> String?
        var error: VerificationError? = .untrusted(.badSignature)
    }

    @Test(arguments: [
        Signature(testDescription: "right", make: { signed($0) }, error: nil),
        Signature(testDescription: "right, in capitals", make: { signed($0).uppercased() }, error: nil),
        Signature(testDescription: "missing", make: { _ in nil }, error: .malformed(.missingSignature)),
        Signature(testDescription: "empty", make: { _ in "" }),
        Signature(testDescription: "not hexadecimal", make: { _ in String(repeating: "z", count: 64) }),
        Signature(testDescription: "of another secret", make: { signed($0, secret: "other") }),
        Signature(testDescription: "of another body", make: { signed($0 + [32]) }),
        Signature(testDescription: "short", make: { String(signed($0).dropLast(2)) }),
        Signature(testDescription: "long", make: { signed($0) + "00" }),
        Signature(testDescription: "with a scheme", make: { "sha256=" + signed($0) }),
    ]) func onlyTheSignatureOfTheRawBodyIsBelieved(_ given: Signature) throws {
        let verifier = try #require(PurchaseKitVerifier(secret: PurchaseKitSpecimen.secret))
        let body = Self.created.body
        let delivery = Delivery(body: body, signature: given.make(body))
        do throws(VerificationError) {
            #expect(try verifier.verify(delivery, now: Self.created.now).id == "subscription.created-0-60")
            #expect(given.error == nil)
        } catch {
            #expect(error == given.error)
        }
    }

    @Test(arguments: ["apple", "google"]) func theStoreThatSoldItIsNamed(_ store: String) throws {
        let specimen = PurchaseKitSpecimen("subscription.created").with("store", to: .text(store))
        #expect(try specimen.verify().observation?.store == store)
    }

    @Test func emptySecretIsNone() {
        #expect(PurchaseKitVerifier(secret: "") == nil)
    }

    private static func signed(_ body: [UInt8], secret: String = PurchaseKitSpecimen.secret) -> String {
        Hex.encode(HMAC.authenticate(body, key: Array(secret.utf8)))
    }

    /// Long after its end, and under an id that nobody has seen.
    @Test(arguments: ["subscription.created", "subscription.updated", "subscription.canceled"])
    func whatEndedIsNotReopened(_ type: String) throws {
        var timeline = ContractTimeline()
        let end = PurchaseKitSpecimen(
            "subscription.expired",
            after: day,
            changes: ["ends_at": .text("2026-01-02T00:00:00Z")]
        )
        for specimen in [Self.created, end] { timeline.take(try specimen.verify(), at: specimen.now) }
        var replay = PurchaseKitSpecimen(type, after: .zero, changes: ["event_id": "new"])
        replay.now = PurchaseKitSpecimen.start + day * 2
        let ended = timeline.status(at: replay.now)
        #expect(ended?.state == .expired)
        #expect(timeline.take(try replay.verify(), at: replay.now) == ended)
    }

    @Test func factsOfAPurchase() throws {
        let observation = try Self.created.verify().observation
        #expect(observation?.user == "42")
        #expect(observation?.contract.lineage == "2000000000000001")
        #expect(observation?.contract.environment == .production)
        #expect(observation?.snapshot?.accessUntil == PurchaseKitSpecimen.start + Self.month)
        let number = Self.created.with("customer_id", to: 7).with("subscription_id", to: 9)
        #expect(try number.verify().observation?.user == "7")
        #expect(try number.verify().observation?.contract.lineage == "9")
        let token = "0f8fad5b-d9cb-469f-a165-70867728950e"
        #expect(
            try Self.created.with("customer_id", to: .text(token)).verify().observation?.token?.description == token
        )
    }

    /// Version 0.8.0 tells Google's base plan and the end of a trial.
    @Test func membersOfNewerVersions() throws {
        let google = Self.created.with("store", to: "google").with("google_base_plan_id", to: "yearly")
            .with("subscription_id", to: .text(String(repeating: "t", count: 400)))
        #expect(try google.verify().observation?.snapshot?.product == "pro.monthly")
        let catalog = Catalog(["pro.monthly:yearly": .init(group: "g")])
        #expect(try google.verify(catalog).observation?.snapshot?.product == "pro.monthly:yearly")
        #expect(try google.verify().subtype == "google")
        let trial = Self.created.with("current_period_end", to: nil).with("trial_ends_at", to: "2026-01-08T00:00:00Z")
        #expect(try trial.verify().observation?.snapshot?.accessUntil?.iso8601 == "2026-01-08T00:00:00.000Z")
    }
}
