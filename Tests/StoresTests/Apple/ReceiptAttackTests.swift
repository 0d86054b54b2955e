import Crypto
import Domain
import TestSupport
import Testing

@testable import Stores

/// One thing that is wrong with a receipt that is genuine in every other way.
@Suite struct ReceiptAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String
        var apply: @Sendable (inout ReceiptSpecimen) throws -> Void

        init(_ name: String, code: String, apply: @escaping @Sendable (inout ReceiptSpecimen) throws -> Void) {
            testDescription = name
            self.code = code
            self.apply = apply
        }
    }

    static let containers = [
        Attack("empty", code: "invalid_receipt") { $0.editMessage = { _ in [] } },
        Attack("no ASN.1", code: "invalid_receipt") { $0.editMessage = { _ in Array("hello".utf8) } },
        Attack("truncated", code: "invalid_receipt") { $0.editMessage = { $0.dropLast() } },
        Attack("a byte after it", code: "invalid_receipt") { $0.editMessage = { $0 + [0] } },
        Attack("nested without end", code: "invalid_receipt") {
            $0.editMessage = { _ in [UInt8](repeating: 0, count: 100_000).map { _ in 0x30 } }
        },
        Attack("indefinite lengths without end", code: "invalid_receipt") {
            $0.editMessage = { _ in (0..<50_000).flatMap { _ in [0x24, 0x80] } }
        },
        Attack("a length of 4 GB", code: "invalid_receipt") {
            $0.editMessage = { _ in [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] }
        },
        Attack("detached content", code: "invalid_receipt") { $0.form = .detached },
        Attack("not signed", code: "invalid_receipt") { $0.make = { Unsigned.data($0) } },
        Attack("two signers", code: "invalid_receipt") { specimen in
            let other = try PKI.make()
            specimen.others = [CMSSigner(chain: other.chain, key: other.leaf.key)]
        },
        Attack("nobody signed", code: "invalid_receipt") { specimen in
            let certificates = specimen.pki.chain.flatMap { $0 }
            specimen.make = { Unsigned.signedByNobody($0, certificates: certificates) }
        },
        Attack("certificates left out", code: "invalid_receipt") { $0.form = .withoutCertificates },
    ]

    static let chains = [
        Attack("foreign root", code: "untrusted_chain") { $0.pki = try PKI.make() },
        Attack("no receipt signer", code: "untrusted_chain") {
            $0.pki = try $0.root.reissued(leaf: { $0.markers = [] })
        },
        Attack("intermediate of nobody", code: "untrusted_chain") {
            $0.pki = try $0.root.reissued(intermediate: { $0.markers = [] })
        },
        Attack("an intermediate that is no authority", code: "untrusted_chain") {
            $0.pki = try $0.root.reissued(intermediate: { $0.basicConstraints = "critical,CA:FALSE" })
        },
        Attack("leaf that is an authority", code: "untrusted_chain") {
            $0.pki = try $0.root.reissued(leaf: {
                $0.basicConstraints = "critical,CA:TRUE"
                $0.keyUsage = "critical,keyCertSign,digitalSignature"
            })
        },
        Attack("signed by the intermediate", code: "untrusted_chain") { $0.pki.leaf = $0.pki.intermediate },
        Attack("signed by the root itself", code: "untrusted_chain") { $0.pki.leaf = $0.pki.root },
        Attack("unknown critical extension", code: "untrusted_chain") {
            $0.pki = try $0.root.reissued(leaf: { $0.criticalMarkers = ["1.2.3.4"] })
        },
    ]

    static let signatures = [
        Attack("tampered content", code: "bad_signature") {
            $0.editMessage = { $0.replacing(Array("pro.monthly".utf8), with: Array("pro.forever".utf8)) }
        },
        Attack("tampered signature", code: "bad_signature") {
            $0.editMessage = { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
        },
        Attack("made before its signer", code: "outside_validity") { $0.payload[12] = .date("2019-12-31T23:59:59Z") },
        Attack("made after its signer", code: "outside_validity") {
            $0.pki = try $0.root.reissued(leaf: {
                $0.validity = $0.validity.lowerBound...(ReceiptSpecimen.createdAt - .seconds(1))
            })
        },
        Attack("made in the future", code: "signed_in_future") { $0.payload[12] = .date("2026-01-01T00:05:01Z") },
        Attack("a volume licence that has ended", code: "outside_validity") {
            $0.payload[21] = .date("2026-01-01T00:00:00Z")
        },
    ]

    static let meanings = [
        Attack("no creation date", code: "invalid_receipt") { $0.payload[12] = nil },
        Attack("creation date that is none", code: "invalid_receipt") { $0.payload[12] = .date("yesterday") },
        Attack("no bundle", code: "wrong_app") { $0.payload[2] = nil },
        Attack("another bundle", code: "wrong_app") { $0.payload[2] = .text("com.example.other") },
        Attack("bundle that is a number", code: "wrong_app") { $0.payload[2] = .integer(1) },
        Attack("bundle that is no UTF-8", code: "wrong_app") { $0.payload[2] = .raw([0x0C, 2, 0xFF, 0xFE]) },
        Attack("nothing configured", code: "not_configured") { $0.bundleIDs = .only([]) },
        Attack("no type", code: "wrong_environment") { $0.payload[0] = nil },
        Attack("Xcode", code: "wrong_environment") { $0.payload[0] = .text("Xcode") },
        Attack("Sandbox, not served", code: "wrong_environment") { $0.environments = [.production] },
        Attack("content that is no set", code: "invalid_receipt") { $0.editContent = { [0x30] + $0.dropFirst() } },
        Attack("content that is text", code: "invalid_receipt") { $0.editContent = { _ in Array("hello".utf8) } },
        Attack("content with a byte after it", code: "invalid_receipt") { $0.editContent = { $0 + [0] } },
        Attack("content nested without end", code: "invalid_receipt") {
            $0.editContent = { _ in (0..<20_000).flatMap { _ in [0x31, 0x80] as [UInt8] } }
        },
        Attack("content wrapped without end", code: "invalid_receipt") {
            $0.editContent = { content in (0..<40).reduce(content) { wrapped, _ in DER.element(0x24, content: wrapped) }
            }
        },
        Attack("purchase that is no set", code: "invalid_receipt") {
            $0.payload.attributes.append(ReceiptPayload.Attribute(17, value: .text("hello")))
        },
        Attack("purchase without a product", code: "invalid_receipt") { $0.payload.setPurchase(1702, value: nil) },
        Attack("purchase without an id", code: "invalid_receipt") { $0.payload.setPurchase(1703, value: nil) },
        Attack("purchase without a date", code: "invalid_receipt") { $0.payload.setPurchase(1704, value: nil) },
        Attack("id with a line break", code: "invalid_receipt") {
            $0.payload.setPurchase(1703, value: .text("1\r\n2"))
        },
        Attack("product with a control character", code: "invalid_receipt") {
            $0.payload.setPurchase(1702, value: .text("a\u{0}b"))
        },
        Attack("lineage of 256 bytes", code: "invalid_receipt") {
            $0.payload.setPurchase(1705, value: .text(String(repeating: "1", count: 256)))
        },
        Attack("cancellation that cannot be read", code: "invalid_receipt") {
            $0.payload.setPurchase(1712, value: .date("2025-13-41"))
        },
    ]

    @Test(arguments: containers + chains + signatures + meanings) func isRefused(_ attack: Attack) throws {
        var specimen = try ReceiptSpecimen()
        try attack.apply(&specimen)
        let error = #expect(throws: VerificationError.self) { try specimen.verify() }
        #expect(error?.code == attack.code)
    }

    /// Whatever is cut off or turned over, it is refused and nothing traps.
    @Test func everyDamageIsRefused() throws {
        let specimen = try ReceiptSpecimen()
        let (bytes, verifier) = (try specimen.bytes(), try specimen.verifier())
        for index in stride(from: 0, to: bytes.count, by: 31) {
            #expect(throws: VerificationError.self) {
                try verifier.verify(receipt: Array(bytes[..<index]), now: specimen.now)
            }
            var damaged = bytes
            damaged[index] ^= 0x80
            // Some bytes bind nothing: the root that is sent along, for one.
            _ = try? verifier.verify(receipt: damaged, now: specimen.now)
            _ = ReceiptClue(unproven: damaged)
        }
    }
}

/// Messages that look like signed ones.
private enum Unsigned {
    private static let dataType: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1]
    private static let signedDataType: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2]

    static func data(_ content: [UInt8]) -> [UInt8] {
        DER.element(0x30, content: dataType + DER.element(0xA0, content: DER.element(0x04, content: content)))
    }

    /// SignedData with everything but a signer.
    static func signedByNobody(_ content: [UInt8], certificates: [UInt8]) -> [UInt8] {
        let parts =
            DER.integer(1) + DER.element(0x31, content: []) + data(content) + DER.element(0xA0, content: certificates)
        let signed = DER.element(0x30, content: parts + DER.element(0x31, content: []))
        return DER.element(0x30, content: signedDataType + DER.element(0xA0, content: signed))
    }
}
