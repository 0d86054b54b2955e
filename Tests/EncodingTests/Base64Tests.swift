import Crypto
import Encoding
import Testing

@Suite struct Base64Tests {
    struct Pair: Sendable, CustomTestStringConvertible {
        var plain: [UInt8]
        var standard: String
        var url: String
        var testDescription: String { standard }
    }

    /// RFC 4648 §10, and bytes that need the last two characters of the alphabet.
    @Test(arguments: [
        Pair(plain: [], standard: "", url: ""),
        Pair(plain: Array("f".utf8), standard: "Zg==", url: "Zg"),
        Pair(plain: Array("fo".utf8), standard: "Zm8=", url: "Zm8"),
        Pair(plain: Array("foo".utf8), standard: "Zm9v", url: "Zm9v"),
        Pair(plain: Array("foobar".utf8), standard: "Zm9vYmFy", url: "Zm9vYmFy"),
        Pair(plain: [0xFB, 0xFF, 0xFE], standard: "+//+", url: "-__-"),
        Pair(plain: [0xFF], standard: "/w==", url: "_w"),
    ]) func writesAndReads(_ pair: Pair) {
        #expect(Base64.encode(pair.plain) == pair.standard)
        #expect(Base64URL.encode(pair.plain) == pair.url)
        #expect(Base64.decode(pair.standard) == pair.plain)
        #expect(Base64URL.decode(pair.url) == pair.plain)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "====", "=", "Zh==", "Zm9=", "Zm8=Zm8=", "Zm 8", "Zm8\n", "Zm9v\n", "-__-", "Zmé=",
    ]) func standardRefuses(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Z", "Zg==", "Zh", "Zm9", "+//+", "Zm9v\n", " Zm9", "Zm9v="]) func urlRefuses(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func everyLengthSurvives() {
        for count in 0..<200 {
            let bytes = randomBytes(count)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test func hexReadsBothCases() {
        #expect(Hex.encode([0, 171, 255]) == "00abff")
        #expect(Hex.decode("00aBFf") == [0, 171, 255])
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("0g") == nil)
    }
}
