import Crypto
import Testing

@Suite struct RSAKeyTests {
    let key: RSAPrivateKey

    init() throws {
        key = try RSAPrivateKey.generate()
    }

    @Test func publicNumbersCheckWhatThePrivateKeySigned() throws {
        let message = Array("header.payload".utf8)
        let signature = try key.signature(for: message)
        let numbers = key.publicNumbers
        let verifier = try #require(RSAPublicKey(modulus: numbers.modulus, exponent: numbers.exponent))
        #expect(verifier.isValid(signature, for: message[...]))
        #expect(!verifier.isValid(signature, for: Array("header.payloae".utf8)[...]))
        #expect(!verifier.isValid(Array(signature.dropLast()), for: message[...]))
        #expect(!verifier.isValid([], for: message[...]))
        let other = try RSAPrivateKey.generate().signature(for: message)
        #expect(!verifier.isValid(other, for: message[...]))
    }

    @Test func survivesItsFile() throws {
        let read = try RSAPrivateKey(pem: try key.pem())
        #expect(read.publicNumbers == key.publicNumbers)
    }

    @Test func otherKeysAreRefused() throws {
        let curve = try PrivateKey.generate(.p256).pem()
        #expect(throws: CryptoError.unreadableKey) { try RSAPrivateKey(pem: curve) }
        #expect(throws: CryptoError.unreadableKey) { try RSAPrivateKey(pem: "no key") }
    }

    struct Weakness: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var modulus: (@Sendable ([UInt8]) -> [UInt8]) = { $0 }
        var exponent: [UInt8] = [1, 0, 1]
    }

    @Test(arguments: [
        Weakness(testDescription: "half the bits", modulus: { Array($0.prefix(128)) }),
        Weakness(testDescription: "no modulus", modulus: { _ in [] }),
        Weakness(testDescription: "a modulus of zeros", modulus: { $0.map { _ in 0 } }),
        Weakness(testDescription: "an endless modulus", modulus: { _ in [UInt8](repeating: 255, count: 5000) }),
        Weakness(testDescription: "exponent one", exponent: [1]),
        Weakness(testDescription: "exponent one behind a zero", exponent: [0, 1]),
        Weakness(testDescription: "exponent of zeros", exponent: [0, 0]),
        Weakness(testDescription: "even exponent", exponent: [1, 0, 0]),
        Weakness(testDescription: "no exponent", exponent: []),
        Weakness(testDescription: "endless exponent", exponent: [UInt8](repeating: 255, count: 9)),
    ]) func weakKeysAreNone(_ weakness: Weakness) {
        let modulus = weakness.modulus(key.publicNumbers.modulus)
        #expect(RSAPublicKey(modulus: modulus, exponent: weakness.exponent) == nil)
    }
}

private func == (left: (modulus: [UInt8], exponent: [UInt8]), right: (modulus: [UInt8], exponent: [UInt8])) -> Bool {
    left.modulus == right.modulus && left.exponent == right.exponent
}
