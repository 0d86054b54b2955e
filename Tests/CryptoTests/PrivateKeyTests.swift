import Crypto
import Encoding
import Testing

@Suite struct PrivateKeyTests {
    @Test func survivesItsPEM() throws {
        let key = try PrivateKey.generate(.p256)
        let copy = try PrivateKey(pem: key.pem())
        #expect(try copy.pem() == key.pem())
        #expect(copy.curve == .p256)
    }

    @Test func signaturesAreSixtyFourBytesEveryTime() throws {
        let key = try PrivateKey.generate(.p256)
        // One signature in 128 has a short half: 600 of them would find a missing padding.
        for _ in 0..<600 { #expect(try key.signature(for: [1, 2, 3]).count == 64) }
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "key"])
    func refuses(_ pem: String) {
        #expect(throws: CryptoError.unreadableKey) { try PrivateKey(pem: pem) }
    }

    /// RFC 2202, test case 2 for SHA-1; RFC 4231, test case 2 for SHA-256.
    @Test func keyedHashesAreTheStandards() {
        let (key, message) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(
            Hex.encode(HMAC.authenticate(message, key: key))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        #expect(
            Hex.encode(HMAC.authenticate(message, key: key, with: .sha1)) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        )
    }

    @Test func comparisonSeesLengthAndContent() {
        #expect(constantTimeCompare([1, 2], with: [1, 2]))
        #expect(!constantTimeCompare([1, 2], with: [1, 3]))
        #expect(!constantTimeCompare([1, 2], with: [1, 2, 3]))
        #expect(constantTimeCompare([], with: []))
    }
}
