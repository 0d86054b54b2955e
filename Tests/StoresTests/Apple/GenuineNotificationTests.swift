import Crypto
import Domain
import FoundationEssentials
import Stores
import Support
import Testing

/// What Apple really posted. The file stands beside the project, not in it.
private let genuine: [UInt8]? = {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return try? SmallFile.read("/\(root)/../shared/data/apple/did-renew-sandbox.json")
}()

@Suite(.enabled(if: genuine != nil)) struct GenuineNotificationTests {
    private let now = Instant(iso8601: "2025-12-18T21:47:00Z") ?? Instant(milliseconds: 0)

    private func verifier(bundle: String = "com.masilotti.purchasekit.base") throws -> AppleVerifier {
        try AppleVerifier(
            bundleIDs: .only([bundle]),
            appIDs: .only([6_756_505_729]),
            environments: [.production, .sandbox],
            roots: .apple
        )
    }

    @Test func isBelievedAndUnderstood() throws {
        let body = try #require(genuine)
        let event = try verifier().verify(body: body, now: now)
        #expect(event.id == "958ef583-c135-4d08-89c0-4438567c6fdb")
        #expect(event.kind == .subscriptionRenewed)
        #expect(event.environment == .sandbox)
        #expect(event.body == body)
        #expect(event.signedAt.iso8601 == "2025-12-18T21:46:45.969Z")
        let observation = try #require(event.observation)
        #expect(observation.contract.lineage == "2000001083859867")
        #expect(observation.token?.description == "a5af9b36-0e4d-4665-8351-0e4003752165")
        #expect(observation.group == "21858453")
        #expect(observation.transaction?.price == 9990)
        let snapshot = try #require(observation.snapshot)
        #expect(snapshot.state == .active)
        #expect(snapshot.product == "purchasekit.pro.annual")
        #expect(snapshot.pendingProduct == nil)
        #expect(snapshot.autoRenew == true)
        #expect(snapshot.accessUntil?.iso8601 == "2025-12-18T22:47:33.000Z")
    }

    @Test func isStillBelievedAfterItsLeafExpired() throws {
        let later = try #require(Instant(iso8601: "2030-01-01T00:00:00Z"))
        #expect(try verifier().verify(body: try #require(genuine), now: later).kind == .subscriptionRenewed)
    }

    @Test func belongsToNoOtherApp() throws {
        let verifier = try verifier(bundle: "com.example.other")
        #expect(throws: VerificationError.wrongApp) { try verifier.verify(body: try #require(genuine), now: now) }
    }

    /// Every 53rd character of the body, changed so that it stays in its alphabet.
    @Test func everyChangeIsNoticed() throws {
        let body = try #require(genuine)
        let verifier = try verifier()
        let text = String(decoding: body, as: UTF8.self)
        let start = try #require(text.firstRange(of: "eyJ")).lowerBound
        let first = text.utf8.distance(from: text.startIndex, to: start)
        for index in stride(from: first, to: body.count - 3, by: 53) {
            var changed = body
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: VerificationError.self) { try verifier.verify(body: changed, now: now) }
        }
    }

    @Test func developmentRootsDoNotVouchForIt() throws {
        let roots = try #require(TrustedRoots(pem: DevelopmentAuthority.create().root))
        let verifier = try AppleVerifier(bundleIDs: .any, appIDs: .any, environments: [.sandbox], roots: roots)
        #expect(throws: VerificationError.untrusted(.untrustedChain)) {
            try verifier.verify(body: try #require(genuine), now: now)
        }
    }
}
