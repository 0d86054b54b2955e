import HTTP
import Testing

@Suite struct HandshakeTests {
    /// RFC 6455 §1.3.
    @Test func answersTheKeyOfTheRFC() {
        #expect(Handshake.accept(key: Array("dGhlIHNhbXBsZSBub25jZQ==".utf8)[...]) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(Handshake.version == "13")
    }

    @Test(arguments: [
        "", "=", "====", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ== ",
        " dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ==\0", "dGhlIHNhbXBsZSBub25jZR==",
        "dGhlIHNhbXBsZSBub25jZQ==, dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25j", "dGhlIHNhbXBsZSBub25jZQAA",
        "dGhlIHNhbXBsZSBub25jZQA=", "dGhlIHNhbXBsZSBub_5jZQ==", "dGhlIHNhbXBsZS=ub25jZQ==", "========================",
        "ééééééééééé==",
    ])
    func answersNoOtherKey(_ key: String) {
        #expect(Handshake.accept(key: Array(key.utf8)[...]) == nil)
    }
}
