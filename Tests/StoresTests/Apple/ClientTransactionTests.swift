import Crypto
import Domain
import Stores
import Testing

/// What an app or its backend posts: the same proof, without Apple's own statement of the status.
@Suite struct ClientTransactionTests {
    private func verify(_ specimen: Specimen, renewal: Bool = false) throws -> Event {
        let verifier = try AppleVerifier(
            bundleIDs: specimen.bundleIDs,
            appIDs: .only([1]),
            environments: specimen.environments,
            roots: try #require(TrustedRoots([specimen.pki.root.certificate]))
        )
        return try verifier.verify(
            transaction: try #require(specimen.transaction).text(),
            renewalInfo: renewal ? try specimen.renewal?.text() : nil,
            body: [1, 2, 3],
            now: specimen.now
        )
    }

    @Test func isATransactionAndNoSnapshot() throws {
        let event = try verify(try Specimen())
        #expect(event.kind == .subscriptionStarted)
        #expect(event.type == "TRANSACTION")
        #expect(event.observation?.snapshot == nil)
        #expect(event.observation?.transaction?.product == "pro.monthly")
        #expect(event.observation?.contract.lineage == "2000000000000001")
        #expect(event.body == [1, 2, 3])
    }

    @Test func sameVersionIsTheSameEvent() throws {
        var specimen = try Specimen()
        let first = try verify(specimen)
        #expect(try verify(specimen).id == first.id)
        specimen.transaction?.payload["signedDate"] = .number(String(Specimen.now.milliseconds + 1))
        #expect(try verify(specimen).id != first.id)
    }

    @Test func nameFollowsTheTransaction() throws {
        var specimen = try Specimen()
        specimen.transaction?.payload["transactionReason"] = "RENEWAL"
        #expect(try verify(specimen).kind == .subscriptionRenewed)
        specimen.transaction?.payload["inAppOwnershipType"] = "FAMILY_SHARED"
        #expect(try verify(specimen).kind == .familyGranted)
        specimen.transaction?.payload["revocationDate"] = .number(String(Specimen.now.milliseconds))
        #expect(try verify(specimen).kind == .refundCompleted)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        var apply: @Sendable (inout Specimen) throws -> Void
    }

    @Test(arguments: [
        Refusal(testDescription: "another bundle", code: "wrong_app") {
            $0.transaction?.payload["bundleId"] = "com.example.other"
        },
        Refusal(testDescription: "Xcode", code: "wrong_environment") {
            $0.transaction?.payload["environment"] = "Xcode"
        },
        Refusal(testDescription: "unrelated key", code: "bad_signature") { $0.transaction?.key = try .generate(.p256) },
        Refusal(testDescription: "foreign root", code: "untrusted_chain") {
            $0.transaction?.sign(with: try PKI.make())
        },
        Refusal(testDescription: "renewal of another lineage", code: "mismatched_renewal") {
            $0.renewal?.payload["originalTransactionId"] = "2000000000000009"
        },
        Refusal(testDescription: "a notification", code: "invalid_payload") { $0.transaction = $0.outer },
        Refusal(testDescription: "not configured", code: "not_configured") { $0.bundleIDs = .only([]) },
    ]) func refuses(_ refusal: Refusal) throws {
        var specimen = try Specimen()
        try refusal.apply(&specimen)
        let error = #expect(throws: VerificationError.self) { try verify(specimen, renewal: true) }
        #expect(error?.code == refusal.code)
    }
}
