import Crypto
import Domain
import Encoding
import Stores
import Testing

@Suite struct AppleVerifierTests {
    /// Something unusual that is genuine all the same.
    struct Oddity: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var apply: @Sendable (inout Specimen) throws -> Void

        init(_ name: String, apply: @escaping @Sendable (inout Specimen) throws -> Void) {
            testDescription = name
            self.apply = apply
        }
    }

    @Test(arguments: [
        Oddity("nothing") { _ in },
        Oddity("third certificate is garbage") { specimen in
            let chain = specimen.pki.chain.map { Base64.encode($0) }
            specimen.outer.header["x5c"] = [.text(chain[0]), .text(chain[1]), "garbage"]
        },
        Oddity("third certificate is an unrelated root") { specimen in
            let chain = specimen.pki.chain.map { Base64.encode($0) }
            let other = try PKI.make().root.certificate
            specimen.outer.header["x5c"] = [.text(chain[0]), .text(chain[1]), .text(Base64.encode(other))]
        },
        Oddity("intermediate without a path length") {
            $0.sign(with: try $0.pki.reissued(intermediate: { $0.basicConstraints = "critical,CA:TRUE" }))
        },
        Oddity("more header members") {
            $0.outer.header["typ"] = "JWT"
            $0.outer.header["kid"] = "1"
        },
        Oddity("expired leaf, signed while it was valid") { $0.now = PKI.validity.upperBound + .seconds(86_400) },
        Oddity("signed in the leaf's last second") {
            $0.now = PKI.validity.upperBound + .seconds(60)
            $0.outer.payload["signedDate"] = .number(String(PKI.validity.upperBound.milliseconds))
        },
        Oddity("signed in the leaf's first second") {
            $0.outer.payload["signedDate"] = .number(String(PKI.validity.lowerBound.milliseconds))
        },
        Oddity("five minutes ahead") {
            $0.outer.payload["signedDate"] = .number(String(Specimen.now.milliseconds + 300_000))
        },
        Oddity("fractional date") { $0.outer.payload["signedDate"] = .raw("1767225599999.7297") },
        Oddity("no signed date") { $0.outer.payload["signedDate"] = nil },
        Oddity("no app id in Sandbox") { $0.outer.payload["data"]?["appAppleId"] = nil },
        Oddity("another app id in Sandbox") { $0.outer.payload["data"]?["appAppleId"] = 1 },
        Oddity("Production") { $0.moveToProduction() },
        Oddity("only Sandbox served") { $0.environments = [.sandbox] },
        Oddity("unknown type") { $0.outer.payload["notificationType"] = "SOMETHING_NEW" },
        Oddity("unknown subtype") { $0.outer.payload["subtype"] = "ALSO_NEW" },
        Oddity("unknown status") { $0.outer.payload["data"]?["status"] = 6 },
        Oddity("unknown members") {
            $0.outer.payload["new"] = ["deep": [1, 2.5, true]]
            $0.transaction?.payload["new"] = .raw("null")
        },
        Oddity("token that is no UUID") { $0.transaction?.payload["appAccountToken"] = "42" },
        Oddity("no renewal info") { $0.renewal = nil },
        Oddity("no transaction") { $0.transaction = nil },
        Oddity("more members and white space in the body") {
            $0.editBody = { " {\"other\": 1, " + $0.dropFirst() + "\n" }
        },
        Oddity("summary") { $0.carry("summary", payload: ["bundleId": "com.example.shop", "environment": "Sandbox"]) },
        Oddity("consent without an app transaction") {
            $0.carry("appData", payload: ["bundleId": "com.example.shop", "environment": "Sandbox"])
        },
        Oddity("external purchase token of the Sandbox") {
            $0.carry("externalPurchaseToken", payload: Specimen.token(id: "SANDBOX_1"))
        },
        Oddity("external purchase token of Production") {
            $0.carry("externalPurchaseToken", payload: Specimen.token(id: "1"))
        },
    ]) func accepts(_ oddity: Oddity) throws {
        var specimen = try Specimen()
        try oddity.apply(&specimen)
        let event = try specimen.verify()
        #expect(event.app == "com.example.shop")
        #expect(event.id == "a5af9b36-0e4d-4665-8351-0e4003752165")
    }

    @Test func fractionsAreRoundedDown() throws {
        var specimen = try Specimen()
        specimen.outer.payload["signedDate"] = .raw("1767225599999.7297")
        #expect(try specimen.verify().signedAt.milliseconds == 1_767_225_599_999)
    }

    @Test func bodyIsKeptAsItWasPosted() throws {
        let specimen = try Specimen()
        let body = try specimen.body()
        let verifier = try AppleVerifier(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.sandbox],
            roots: try #require(TrustedRoots([specimen.pki.root.certificate]))
        )
        #expect(try verifier.verify(body: body, now: Specimen.now).body == body)
    }

    /// A second app's notification with the first one's id is of neither.
    @Test(arguments: [(1_234_567_890, true), (2, false)])
    func appIDBelongsToItsBundle(_ id: Int64, isServed: Bool) throws {
        var specimen = try Specimen()
        specimen.moveToProduction()
        specimen.bundleIDs = .only(["com.example.shop", "com.example.other"])
        specimen.appIDs = .each(["com.example.shop": 1_234_567_890, "com.example.other": 2])
        specimen.outer.payload["data"]?["appAppleId"] = .number(String(id))
        if isServed {
            #expect(try specimen.verify().environment == .production)
        } else {
            #expect(throws: VerificationError.wrongApp) { try specimen.verify() }
        }
    }

    @Test func productionNeedsAnAppID() {
        #expect(throws: StoreError.self) {
            try AppleVerifier(
                bundleIDs: .only(["com.example.shop"]),
                appIDs: .only([]),
                environments: [.production],
                roots: .apple
            )
        }
    }

    @Test func onlyMisconfigurationsAreWorthARetry() {
        let final =
            VerificationError.Malformation.allCases.map { VerificationError.malformed($0) }
            + VerificationError.Distrust.allCases.map { VerificationError.untrusted($0) }
        #expect(final.allSatisfy { !$0.isRetryable })
        #expect([VerificationError.wrongApp, .wrongEnvironment, .notConfigured].allSatisfy { $0.isRetryable })
        #expect(Set(final.map(\.message)).count == final.count)
    }

    @Test func threadsShareOneVerifier() async throws {
        let specimen = try Specimen()
        let body = try specimen.body()
        let roots = try #require(TrustedRoots([specimen.pki.root.certificate]))
        let verifier = try AppleVerifier(bundleIDs: .any, appIDs: .any, environments: [.sandbox], roots: roots)
        // The first one's header has not come before.
        _ = try verifier.verify(body: body, now: Specimen.now)
        let expected = try verifier.verify(body: body, now: Specimen.now)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<20).allSatisfy { _ in (try? verifier.verify(body: body, now: Specimen.now)) == expected }
                }
            }
            for await isSame in group { #expect(isSame) }
        }
    }
}
