import Crypto
import Encoding
import Stores
import TestSupport
import Testing

@testable import Domain

/// Row 41 of the table that maps every store's events to one model, PurchaseKit's signature, and its missing dates.
@Suite struct PurchaseKitVerifierTests {
    private static let month = PurchaseKitSpecimen.month

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var past: [PurchaseKitSpecimen] = []
        var event: PurchaseKitSpecimen
        var kind: EventKind
        var state: ContractState?
        var fragments: Set<String>
        var product = "pro.monthly"
    }

    private static let created = PurchaseKitSpecimen("subscription.created")
    private static let canceled = PurchaseKitSpecimen("subscription.canceled", after: day)
    private static let expired = PurchaseKitSpecimen("subscription.expired", after: month + .seconds(60))

    private static let rows = [
        Row(
            testDescription: "41/1 created",
            event: created,
            kind: .subscriptionStarted,
            state: .active,
            fragments: granted
        ),
        Row(
            testDescription: "41/5 created after an end",
            past: [created, expired],
            event: PurchaseKitSpecimen("subscription.created", period: 3),
            kind: .subscriptionStarted,
            state: .active,
            fragments: granted
        ),
        Row(
            testDescription: "41/6 updated: renewed",
            past: [created],
            event: PurchaseKitSpecimen("subscription.updated", period: 1),
            kind: .subscriptionRenewed,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            testDescription: "41/8 updated: another plan",
            past: [created],
            event: PurchaseKitSpecimen("subscription.updated", after: day, changes: ["store_product_id": "pro.annual"]),
            kind: .subscriptionRenewed,
            state: .active,
            fragments: granted,
            product: "pro.annual"
        ),
        Row(
            testDescription: "41/12 updated: a cancellation taken back shows with the next period",
            past: [created, canceled],
            event: PurchaseKitSpecimen("subscription.updated", period: 1),
            kind: .subscriptionRenewed,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            testDescription: "41/11 canceled",
            past: [created],
            event: canceled,
            kind: .autoRenewOff,
            state: .cancelled,
            fragments: ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            testDescription: "41/11 updated to canceled",
            past: [created],
            event: PurchaseKitSpecimen("subscription.updated", after: day, changes: ["status": "canceled"]),
            kind: .autoRenewOff,
            state: .cancelled,
            fragments: ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            testDescription: "41/16-19 expired",
            past: [created],
            event: expired,
            kind: .subscriptionExpired,
            state: .expired,
            fragments: ["paywall=paywall", "subscription_status=paywall"]
        ),
        Row(
            testDescription: "41/16-19 expired, and nothing more",
            past: [created],
            event: PurchaseKitSpecimen("subscription.expired", after: day).undated,
            kind: .subscriptionExpired,
            state: .expired,
            fragments: ["paywall=paywall", "subscription_status=paywall"]
        ),
        Row(
            testDescription: "41/11 canceled, and nothing more: the known end stays",
            past: [created],
            event: canceled.undated,
            kind: .autoRenewOff,
            state: .active,
            fragments: []
        ),
        Row(
            testDescription: "41/1 created without an end opens nothing",
            event: created.undated,
            kind: .subscriptionStarted,
            state: nil,
            fragments: []
        ),
        Row(
            testDescription: "42 unknown type: its status counts",
            past: [created],
            event: PurchaseKitSpecimen("subscription.paused", after: day, changes: ["status": "canceled"]),
            kind: .providerUnknown,
            state: .cancelled,
            fragments: ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            testDescription: "42 unknown status",
            past: [created],
            event: PurchaseKitSpecimen("subscription.updated", after: day, changes: ["status": "frozen"]),
            kind: .subscriptionRenewed,
            state: .active,
            fragments: []
        ),
    ]

    @Test(arguments: rows)
    func means(_ row: Row) throws {
        var timeline = ContractTimeline()
        for specimen in row.past { timeline.take(try specimen.verify(), at: specimen.now) }
        let event = try row.event.verify()
        let (step, standing) = timeline.take(event, at: row.event.now)
        #expect(event.kind == row.kind)
        #expect(step.state == row.state)
        #expect(step.product == row.state.map { _ in row.product })
        #expect(standing.map { $0.accessUntil != nil } ?? true)
        #expect(Set(step.fragments) == row.fragments)
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
        let step = timeline.take(try replay.verify(), at: replay.now).step
        #expect(step.state == .expired)
        #expect(step.fragments.isEmpty)
    }

    @Test func everyOrderEndsInTheSameState() throws {
        let scenario = [
            Self.created, PurchaseKitSpecimen("subscription.updated", period: 1),
            PurchaseKitSpecimen("subscription.canceled", period: 1, after: day),
            PurchaseKitSpecimen("subscription.expired", period: 1, after: Self.month + .seconds(60)),
            PurchaseKitSpecimen("subscription.created", period: 3),
            PurchaseKitSpecimen("subscription.canceled", period: 3, after: day),
        ]
        let events = try scenario.map { try $0.verify() }
        let now = scenario[5].now
        var generator = SeededGenerator(seed: 41)
        for length in 1...scenario.count {
            var inOrder = ContractTimeline()
            for event in events.prefix(length) { inOrder.take(event, at: now) }
            for _ in 0..<50 {
                var timeline = ContractTimeline()
                let deliveries = (events.prefix(length) + events.prefix(length)).shuffled(using: &generator)
                for event in deliveries { timeline.take(event, at: now) }
                #expect(timeline.status(at: now) == inOrder.status(at: now))
            }
        }
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
