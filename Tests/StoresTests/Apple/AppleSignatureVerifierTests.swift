import Crypto
import Domain
import Encoding
import Testing

@testable import Stores

@Suite struct AppleSignatureVerifierTests {
    private static let day = Duration.seconds(86_400)

    private func verifier(of pki: PKI) throws -> AppleSignatureVerifier {
        AppleSignatureVerifier(roots: TrustedRoots([pki.root.certificate]))
    }

    private func open(_ document: Specimen.Document, by verifier: AppleSignatureVerifier, now: Instant = Specimen.now)
        throws
    {
        _ = try verifier.open(AppleNotification.self, from: try document.text(), now: now)
    }

    @Test func headerIsRememberedOnce() throws {
        let specimen = try Specimen()
        let verifier = try verifier(of: specimen.pki)
        for _ in 0..<3 { try open(specimen.outer, by: verifier) }
        #expect(verifier.known.count == 1)
    }

    /// The ledger keeps it in a table of its own then. One that never comes again is no row there.
    @Test func headerIsToldOnceItComesAgain() throws {
        var specimen = try Specimen()
        let verifier = try verifier(of: specimen.pki)
        func told() throws -> [UInt8]? {
            try verifier.open(AppleNotification.self, from: try specimen.outer.text(), now: Specimen.now).header
        }
        let header = Array(try specimen.outer.text().utf8.prefix { $0 != UInt8(ascii: ".") })
        #expect(try told() == nil)
        for _ in 0..<2 { #expect(try told() == header) }
        for number in 0..<3 {
            specimen.outer.header["kid"] = .text("\(number)")
            #expect(try told() == nil)
        }
    }

    /// What is remembered is no opinion about dates: each document has its own.
    @Test func chainEndsThoughItsHeaderIsKnown() throws {
        var specimen = try Specimen()
        let verifier = try verifier(of: specimen.pki)
        try open(specimen.outer, by: verifier)
        let later = PKI.validity.upperBound + Self.day
        specimen.outer.payload["signedDate"] = .number(String(later.milliseconds))
        #expect(throws: VerificationError.untrusted(.outsideValidity)) {
            try open(specimen.outer, by: verifier, now: later)
        }
        try open(try Specimen().outer, by: verifier, now: later)
    }

    /// SIGHUP makes a new verifier, with the roots of that moment.
    @Test func otherRootsKnowNothing() throws {
        let specimen = try Specimen()
        try open(specimen.outer, by: verifier(of: specimen.pki))
        let reloaded = try verifier(of: PKI.make())
        #expect(throws: VerificationError.untrusted(.untrustedChain)) { try open(specimen.outer, by: reloaded) }
        #expect(reloaded.known.count == 0)
    }

    /// Every 37th character, changed in one bit of what it stands for.
    @Test func everyBitOfTheHeaderCounts() throws {
        let specimen = try Specimen()
        let verifier = try verifier(of: specimen.pki)
        try open(specimen.outer, by: verifier)
        let text = Array(try specimen.outer.text().utf8)
        let end = try #require(text.firstIndex(of: UInt8(ascii: ".")))
        for index in stride(from: 0, to: end, by: 37) {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let forged = String(decoding: changed, as: UTF8.self)
            #expect(throws: VerificationError.self) {
                try verifier.open(AppleNotification.self, from: forged, now: Specimen.now)
            }
        }
        #expect(verifier.known.count == 1)
    }

    @Test func spacingMakesAnotherHeader() throws {
        let specimen = try Specimen()
        let verifier = try verifier(of: specimen.pki)
        try open(specimen.outer, by: verifier)
        var spaced = specimen.outer
        spaced.header = .raw(" " + specimen.outer.header.text)
        var forged = spaced
        forged.editSignature = { _ in [UInt8](repeating: 1, count: 64) }
        #expect(throws: VerificationError.untrusted(.badSignature)) { try open(forged, by: verifier) }
        #expect(verifier.known.count == 1)
        try open(spaced, by: verifier)
        #expect(verifier.known.count == 2)
    }

    @Test func forgersFillNothing() throws {
        let specimen = try Specimen()
        let verifier = try verifier(of: specimen.pki)
        try open(specimen.outer, by: verifier)
        for number in 0..<100 {
            var forged = specimen.outer
            forged.header["kid"] = .text("\(number)")
            forged.key = specimen.pki.intermediate.key
            #expect(throws: VerificationError.untrusted(.badSignature)) { try open(forged, by: verifier) }
        }
        #expect(verifier.known.count == 1)
    }

    @Test func genuineHeadersAreBoundedAndTheUsedOneStays() throws {
        let specimen = try Specimen()
        let verifier = try verifier(of: specimen.pki)
        try open(specimen.outer, by: verifier)
        let used = Array(try specimen.outer.text().utf8.prefix { $0 != UInt8(ascii: ".") })
        for number in 0..<100 {
            var other = specimen.outer
            other.header["kid"] = .text("\(number)")
            try open(other, by: verifier)
            #expect(verifier.known.find(used[...]) != nil)
        }
        #expect(verifier.known.count == 32)
    }
}
