import Domain
import Testing

/// How much of a purchase Apple gave back: the whole ends it, a part does not, but of a subscription's period.
@Suite struct AppleRefundTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var product = "Non-Consumable"
        var type: JSON?
        var percentage: JSON?
        var isRevoked = true
    }

    private static let refundedAt = Specimen.now + .seconds(60)

    private static func refund(_ given: Case) throws -> Event {
        var specimen = try Specimen()
        specimen.now = refundedAt
        specimen.outer.payload["notificationType"] = "REFUND"
        specimen.outer.payload["subtype"] = nil
        specimen.outer.payload["data"]?["status"] = given.product == "Auto-Renewable Subscription" ? 5 : nil
        if given.product != "Auto-Renewable Subscription" { specimen.renewal = nil }
        let date = JSON.number(String(refundedAt.milliseconds))
        specimen.transaction?.payload["type"] = .text(given.product)
        specimen.transaction?.payload["quantity"] = 3
        specimen.transaction?.payload["signedDate"] = date
        specimen.transaction?.payload["revocationDate"] = date
        specimen.transaction?.payload["revocationReason"] = 0
        specimen.transaction?.payload["revocationType"] = given.type
        specimen.transaction?.payload["revocationPercentage"] = given.percentage
        return try specimen.verify()
    }

    private static let prorated: JSON = "REFUND_PRORATED"

    @Test(arguments: [
        Case(testDescription: "before there were percentages"),
        Case(testDescription: "full", type: "REFUND_FULL", percentage: 100_000),
        Case(testDescription: "full without a percentage", type: "REFUND_FULL"),
        Case(testDescription: "prorated, nothing used", type: prorated, percentage: 100_000),
        Case(testDescription: "prorated", type: prorated, percentage: 67_932, isRevoked: false),
        Case(testDescription: "prorated, the least", type: prorated, percentage: 15, isRevoked: false),
        Case(testDescription: "prorated, all used", type: prorated, percentage: 0, isRevoked: false),
        Case(testDescription: "prorated without a percentage", type: prorated, isRevoked: false),
        Case(testDescription: "a part without a type", percentage: 99_999, isRevoked: false),
        Case(testDescription: "the whole without a type", percentage: 100_000),
        Case(
            testDescription: "consumable",
            product: "Consumable",
            type: prorated,
            percentage: 33_333,
            isRevoked: false
        ),
        Case(testDescription: "consumable, all of them", product: "Consumable", type: "REFUND_FULL"),
        Case(
            testDescription: "non-renewing",
            product: "Non-Renewing Subscription",
            type: prorated,
            percentage: 50_000,
            isRevoked: false
        ),
        Case(testDescription: "member left the family", type: "FAMILY_REVOKE", percentage: 50_000),
        Case(testDescription: "removed by an organization", type: "ASSIGNMENT_REVOKE", percentage: 50_000),
        Case(testDescription: "type of tomorrow", type: "REFUND_SOMEHOW", percentage: 50_000),
        Case(
            testDescription: "prorated subscription",
            product: "Auto-Renewable Subscription",
            type: prorated,
            percentage: 50_000
        ),
        // What cannot be a percentage, or a type, is not stated.
        Case(testDescription: "negative percentage", percentage: -1),
        Case(testDescription: "percentage beyond the whole", percentage: 100_001),
        Case(testDescription: "percentage beyond all integers", percentage: .raw("1e30")),
        Case(testDescription: "percentage beyond all numbers", percentage: .raw("1e400")),
        Case(testDescription: "broken percentage", percentage: 50.5),
        Case(testDescription: "percentage as text", percentage: "50000"),
        Case(testDescription: "percentage as a list", percentage: [50_000]),
        Case(testDescription: "prorated by -1", type: prorated, percentage: -1, isRevoked: false),
        Case(testDescription: "prorated by text", type: prorated, percentage: "all", isRevoked: false),
        Case(testDescription: "type as a number", type: 1),
        Case(testDescription: "type as an object", type: ["REFUND_PRORATED": 1], percentage: 50_000, isRevoked: false),
    ]) func onlyTheWholeEndsWhatIsBoughtOnce(_ given: Case) throws {
        let event = try Self.refund(given)
        let observation = try #require(event.observation)
        #expect(event.kind == .refundCompleted)
        #expect(observation.transaction?.revokedAt == (given.isRevoked ? Self.refundedAt : nil))
        #expect(observation.transaction?.quantity == 3)
        var contract = Contract(key: observation.contract, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        let standing = try #require(contract.status(at: Self.refundedAt))
        #expect((standing.state == .revoked) == given.isRevoked)
    }

    /// The app posts the transaction before the notification arrives: no status says that it is over.
    @Test func proratedSubscriptionEndsWhenItIsRefunded() throws {
        let whole = try #require(try Specimen().verify().observation)
        let given = Case(
            testDescription: "",
            product: "Auto-Renewable Subscription",
            type: Self.prorated,
            percentage: 50_000
        )
        var refund = try #require(try Self.refund(given).observation)
        refund.snapshot = nil
        var contract = Contract(key: whole.contract, kind: whole.kind)
        _ = contract.apply(whole, event: "e1", signedAt: Specimen.now)
        _ = contract.apply(refund, event: "e2", signedAt: Self.refundedAt)
        let standing = try #require(contract.status(at: Self.refundedAt))
        #expect(standing.state == .revoked)
        #expect(standing.accessUntil == Self.refundedAt)
    }

    /// A part, then the rest, then all of it undone: in any order the last word counts.
    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func laterRefundCompletesAPart(_ order: [Int]) throws {
        let part = try #require(
            try Self.refund(Case(testDescription: "", type: Self.prorated, percentage: 40_000)).observation
        )
        var rest = part
        rest.transaction?.revokedAt = Self.refundedAt
        rest.transaction?.signedAt = Self.refundedAt + .seconds(1)
        var undone = part
        undone.transaction?.signedAt = Self.refundedAt + .seconds(2)
        let statements = [part, rest, undone]
        var contract = Contract(key: part.contract, kind: part.kind)
        for index in order { _ = contract.apply(statements[index], event: "e\(index)", signedAt: Self.refundedAt) }
        #expect(contract.status(at: Self.refundedAt)?.state == .owned)
        var unreversed = Contract(key: part.contract, kind: part.kind)
        for index in order where index < 2 {
            _ = unreversed.apply(statements[index], event: "e\(index)", signedAt: Self.refundedAt)
        }
        #expect(unreversed.status(at: Self.refundedAt)?.state == .revoked)
    }
}
