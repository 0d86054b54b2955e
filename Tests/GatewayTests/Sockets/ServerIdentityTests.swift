import Gateway
import TestSupport
import Testing

@Suite(.blocking) struct ServerIdentityTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var certificate: String
        var key: String
        var flaws: [ServerIdentityError.Flaw]
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "nothing there", certificate: "none.pem", key: "none.pem", flaws: [.key, .certificate]),
        Case(name: "no certificate", certificate: "none.pem", key: "key.pem", flaws: [.certificate]),
        Case(name: "no key", certificate: "certificate.pem", key: "none.pem", flaws: [.key]),
        Case(name: "no PEM", certificate: "text.txt", key: "text.txt", flaws: [.key, .certificate]),
        Case(name: "folders", certificate: ".", key: ".", flaws: [.key, .certificate]),
        Case(name: "the wrong way round", certificate: "key.pem", key: "certificate.pem", flaws: [.key, .certificate]),
        Case(name: "key of another", certificate: "certificate.pem", key: "other.pem", flaws: [.mismatch]),
        Case(name: "key of another kind", certificate: "certificate.pem", key: "rsa.pem", flaws: [.mismatch]),
        Case(name: "key with a passphrase", certificate: "certificate.pem", key: "locked.pem", flaws: [.key]),
    ]

    @Test(arguments: cases) func tellsWhatIsWrong(_ given: Case) throws {
        let certificate = try TemporaryCertificate()
        let folder = certificate.folder
        folder.write("hello", to: "text.txt")
        let ec = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        for (name, kind) in [("other.pem", ec), ("rsa.pem", ["-algorithm", "RSA"])] where given.key == name {
            try openssl(["genpkey", "-out", folder.path(name)] + kind)
        }
        if given.key == "locked.pem" {
            let files = ["-in", certificate.keyFile, "-out", folder.path("locked.pem")]
            try openssl(["ec", "-aes256", "-passout", "pass:secret"] + files)
        }
        let error = #expect(throws: ServerIdentityError.self) {
            try ServerIdentity(
                certificateFile: folder.path(given.certificate),
                keyFile: folder.path(given.key)
            )
        }
        #expect(error?.flaws == given.flaws)
    }

    @Test func goodPairHasNoFlaw() throws {
        let certificate = try TemporaryCertificate()
        let identity = try ServerIdentity(
            certificateFile: certificate.certificateFile,
            keyFile: certificate.keyFile
        )
        #expect(!identity.hasExpired)
    }

    private func openssl(_ arguments: [String]) throws {
        #expect(try RunningProcess("openssl", arguments: arguments).waitForExit() == 0)
    }
}
