import Crypto
import Encoding
import Glibc
import Support
import Testing

@Suite struct TrustedRootsTests {
    @Test func applesRootsAreThePublishedBytes() {
        #expect(
            TrustedRoots.apple.certificates.map { Hex.encode(SHA256.hash($0)) } == [
                "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
                "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
                "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
            ]
        )
    }

    @Test func filesAndFoldersOfBothFormatsAreRead() throws {
        let folder = try temporaryFolder()
        let root = TrustedRoots.apple.certificates[0]
        _ = try SmallFile.create("\(folder)/a.pem", contents: Array(PEM.text("CERTIFICATE", der: root).utf8))
        _ = try SmallFile.create("\(folder)/b.der", contents: TrustedRoots.apple.certificates[1])
        _ = try SmallFile.create("\(folder)/notes.txt", contents: [])
        #expect(try TrustedRoots.load(from: "\(folder)/a.pem").certificates == [root])
        #expect(try TrustedRoots.load(from: folder).certificates == Array(TrustedRoots.apple.certificates.prefix(2)))
    }

    @Test func whatIsNotACertificateIsNamed() throws {
        let folder = try temporaryFolder()
        #expect(throws: TrustedRootsError.unreadable(path: "\(folder)/none")) {
            try TrustedRoots.load(from: "\(folder)/none")
        }
        #expect(throws: TrustedRootsError.empty(path: folder)) { try TrustedRoots.load(from: folder) }
        _ = try SmallFile.create("\(folder)/bad.pem", contents: Array("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8))
        #expect(throws: TrustedRootsError.notACertificate(path: "\(folder)/bad.pem")) {
            try TrustedRoots.load(from: folder)
        }
    }

    private func temporaryFolder() throws -> String {
        var template = Array("/tmp/paycast-roots.XXXXXX".utf8CString)
        let path = try #require(mkdtemp(&template))
        return String(cString: path)
    }
}
