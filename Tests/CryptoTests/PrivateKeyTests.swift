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

    /// RFC 4231, test cases 2 and 6: the key of the second is longer than a block.
    @Test func keyedHashesAreTheStandards() {
        #expect(
            Hex.encode(HMAC.authenticate(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            Hex.encode(HMAC.authenticate(message, key: [UInt8](repeating: 0xAA, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    }

    @Test func comparisonSeesLengthAndContent() {
        #expect(constantTimeCompare([1, 2], with: [1, 2]))
        #expect(!constantTimeCompare([1, 2], with: [1, 3]))
        #expect(!constantTimeCompare([1, 2], with: [1, 2, 3]))
        #expect(constantTimeCompare([], with: []))
    }
}
