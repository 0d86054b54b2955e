import Crypto
import TestSupport
import Testing

@testable import Domain

/// Receipts that are proven without Apple.
@Suite struct AppReceiptTests {
    @Test func tellsWhatWasBought() throws {
        let events = try ReceiptSpecimen().verify()
        #expect(events.count == 1)
        let event = try #require(events.first)
        #expect(event.type == "RECEIPT")
        #expect(event.kind == .subscriptionStarted)
        #expect(event.signedAt == ReceiptSpecimen.createdAt)
        #expect(event.environment == .sandbox)
        let observation = try #require(event.observation)
        #expect(observation.contract.lineage == "1000000000000001")
        #expect(observation.kind == .subscription)
        #expect(observation.snapshot == nil, "it can extend, and never shorten")
        #expect(observation.transaction?.expiresAt == ReceiptSpecimen.expiresAt)
        #expect(observation.transaction?.signedAt == ReceiptSpecimen.createdAt)
    }

    @Test func sameReceiptIsTheSameEvents() throws {
        let specimen = try ReceiptSpecimen()
        // Two signatures of one content differ.
        #expect(try specimen.verify().map(\.id) == specimen.verify().map(\.id))
    }

    @Test func newestPeriodOfEachContractCounts() throws {
        var specimen = try ReceiptSpecimen()
        let periods = [("5", "2025-11"), ("7", "2025-12"), ("6", "2025-10")].map { id, month in
            ReceiptPayload.purchase(id, of: "5", at: "\(month)-01T00:00:00Z", until: "\(month)-30T00:00:00Z")
        }
        let once = ReceiptPayload.purchase("9", of: "9", product: "map", at: "2025-09-01T00:00:00Z", until: "", type: 0)
        specimen.payload.purchases = periods + [once]
        let events = try specimen.verify()
        #expect(events.compactMap(\.observation?.contract.lineage) == ["9", "5"], "oldest purchase first")
        #expect(events.compactMap(\.observation?.transaction?.id) == ["9", "7"])
        #expect(events.map(\.kind) == [.purchaseCompleted, .subscriptionRenewed])
    }

    @Test func cancelledPurchaseIsRevoked() throws {
        var specimen = try ReceiptSpecimen()
        specimen.payload.setPurchase(1712, value: .date("2025-12-31T23:59:30Z"))
        let event = try #require(specimen.verify().first)
        #expect(event.kind == .refundCompleted)
        #expect(event.observation?.transaction?.revokedAt == Instant(milliseconds: 1_767_225_570_000))
    }

    @Test func receiptWithoutPurchasesSaysNothing() throws {
        var specimen = try ReceiptSpecimen()
        specimen.payload.purchases = []
        let events = try specimen.verify()
        #expect(events.count == 1)
        #expect(events.first?.observation == nil)
    }

    @Test(arguments: [nil, 0, 1] as [Int64?]) func trialIsTold(_ flag: Int64?) throws {
        var specimen = try ReceiptSpecimen()
        specimen.payload.setPurchase(1713, value: flag.map { .integer($0) })
        #expect(try specimen.verify().first?.observation?.transaction?.isTrial == (flag == 1))
    }

    @Test(
        arguments: zip(
            [0, 1, 2, 3, nil, 9],
            [
                ProductKind.nonConsumable, .consumable, .nonRenewing, .subscription, .subscription, .subscription,
            ]
        )
    ) func productTypeIsTold(_ type: Int64?, kind: ProductKind) throws {
        var specimen = try ReceiptSpecimen()
        specimen.payload.setPurchase(1707, value: type.map { .integer($0) })
        #expect(try specimen.verify().first?.observation?.kind == kind)
    }

    @Test func catalogTellsWhatTheReceiptDoesNot() throws {
        var specimen = try ReceiptSpecimen()
        specimen.payload.setPurchase(1707, value: nil)
        specimen.payload.setPurchase(1708, value: .date(""))
        #expect(try specimen.verify().first?.observation?.kind == .nonConsumable)
        specimen.catalog = Catalog(["pro.monthly": Catalog.Product(kind: .consumable)])
        #expect(try specimen.verify().first?.observation?.kind == .consumable)
    }

    struct Variant: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var environment = StoreEnvironment.sandbox
        var apply: @Sendable (inout ReceiptSpecimen) throws -> Void
    }

    @Test(arguments: [
        Variant(testDescription: "indefinite lengths, content in pieces") { $0.form = .indefinite },
        Variant(testDescription: "no signed attributes") { $0.form = .withoutAttributes },
        Variant(testDescription: "SHA-1") { $0.form = .sha1 },
        Variant(testDescription: "signer named by its key") { $0.form = .namesKey },
        Variant(testDescription: "wrapped once more") { $0.editContent = { DER.element(0x04, content: $0) } },
        Variant(testDescription: "leaf that has expired since") {
            $0.pki = try $0.root.reissued(leaf: {
                $0.validity = $0.validity.lowerBound...ReceiptSpecimen.createdAt
            })
        },
        Variant(testDescription: "Production", environment: .production) { $0.payload[0] = .text("Production") },
        Variant(testDescription: "volume purchase", environment: .production) {
            $0.payload[0] = .text("ProductionVPP")
            $0.payload[21] = .date("2026-01-01T00:00:01Z")
        },
        Variant(testDescription: "volume purchase in the Sandbox") { $0.payload[0] = .text("ProductionVPPSandbox") },
        Variant(testDescription: "a second bundle, ignored") {
            $0.payload.attributes.append(ReceiptPayload.Attribute(2, value: .text("com.example.other")))
        },
        Variant(testDescription: "a second cancellation, ignored") {
            $0.payload.purchases[0].append(ReceiptPayload.Attribute(1712, value: .date("2025-12-31T23:59:30Z")))
        },
    ]) func isBelieved(_ variant: Variant) throws {
        var specimen = try ReceiptSpecimen()
        try variant.apply(&specimen)
        let event = try #require(specimen.verify().first)
        #expect(event.environment == variant.environment)
        #expect(event.observation?.transaction?.revokedAt == nil)
        #expect(event.observation?.transaction?.product == "pro.monthly")
    }
}
