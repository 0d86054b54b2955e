import Crypto
import Domain
import TestSupport

@testable import Stores

/// A receipt under construction, genuine in every way until a test changes one thing.
struct ReceiptSpecimen {
    static let now = Instant(milliseconds: 1_767_225_600_000)
    static let createdAt = Instant(milliseconds: 1_767_225_540_000)
    static let expiresAt = Instant(milliseconds: 1_769_904_000_000)

    var pki: PKI
    /// Trusted, whoever signs.
    let root: PKI
    var now = ReceiptSpecimen.now
    var payload = ReceiptPayload(
        bundle: "com.example.shop",
        createdAt: "2025-12-31T23:59:00Z",
        expiresAt: "2026-02-01T00:00:00Z"
    )
    var environments: Set<StoreEnvironment> = [.production, .sandbox]
    var bundleIDs: Allowlist<String> = .only(["com.example.shop"])
    var catalog = Catalog()
    var editContent: ([UInt8]) -> [UInt8] = { $0 }
    var form: CMSSigner.Form = []
    var others: [CMSSigner] = []
    /// Makes the message in another way.
    var make: (([UInt8]) -> [UInt8])?
    var editMessage: ([UInt8]) -> [UInt8] = { $0 }

    init() throws {
        root = try PKI.shared.get()
        pki = root
    }

    func bytes() throws -> [UInt8] {
        let content = editContent(payload.bytes)
        if let make { return make(content) }
        let above = [pki.intermediate, pki.root].map(\.certificate).filter { $0 != pki.leaf.certificate }
        let signer = CMSSigner(chain: [pki.leaf.certificate] + above, key: pki.leaf.key)
        return editMessage(try signer.sign(content, form: form, beside: others))
    }

    func verifier() throws -> AppleVerifier {
        try AppleVerifier(
            bundleIDs: bundleIDs,
            appIDs: .only([1]),
            environments: environments,
            roots: TrustedRoots([root.root.certificate]) ?? .apple,
            catalog: catalog
        )
    }

    func verify() throws -> [Event] {
        try verifier().verify(receipt: try bytes(), now: now)
    }
}
