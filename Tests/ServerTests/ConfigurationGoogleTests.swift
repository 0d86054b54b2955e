import Crypto
import Domain
import Server
import Support
import TestSupport
import Testing

@Suite struct ConfigurationGoogleTests {
    private static let app = [
        "PAYCAST_GOOGLE_PACKAGE": "com.example.app", "PAYCAST_GOOGLE_AUDIENCE": "https://shop.example/webhooks/google",
        "PAYCAST_GOOGLE_PUSH_ACCOUNT": "push@shop.iam.gserviceaccount.com",
    ]

    private func problem(inFile text: String) throws -> String? {
        let folder = TemporaryFolder()
        let path = folder.path + "/account.json"
        try SmallFile.replace(path, contents: Array(text.utf8))
        return problem(path)
    }

    private func problem(_ credentials: String) -> String? {
        do throws(ConfigurationError) {
            let configuration = try Configuration(
                environment: Self.app.merging(["PAYCAST_GOOGLE_CREDENTIALS": credentials]) { $1 }
            )
            #expect(configuration.accessPolicy.apis.contains(.google))
            #expect(configuration.warnings.allSatisfy { !$0.contains("GOOGLE") })
            #expect(!"\(configuration)".contains("PRIVATE KEY"))
            return nil
        } catch {
            return error.problems.first?.name
        }
    }

    @Test func serviceAccountOpensTheStore() throws {
        let pem = try RSAPrivateKey.generate().pem().split(separator: "\n").joined(separator: "\\n") + "\\n"
        let account = #""client_email":"a@b.example","private_key":"\#(pem)""#
        let whole = #"{"type":"service_account",\#(account)}"#
        #expect(try problem(inFile: whole) == nil)
        #expect(problem(whole) == nil, "where there is no disk for files")
        #expect(problem("/nowhere") == "PAYCAST_GOOGLE_CREDENTIALS")
        for text in [
            "", "hello", "{}", #"{"type":"authorized_user",\#(account)}"#,
            #"{"type":"service_account","client_email":"a@b.example","private_key":"no key"}"#,
        ] {
            #expect(try problem(inFile: text) == "PAYCAST_GOOGLE_CREDENTIALS")
            #expect(text.isEmpty || problem(text) == "PAYCAST_GOOGLE_CREDENTIALS")
        }
    }

    @Test func withoutAServiceAccountThereIsAWarning() throws {
        let configuration = try Configuration(environment: Self.app)
        #expect(configuration.warnings.contains { $0.contains("PAYCAST_GOOGLE_CREDENTIALS") })
        #expect(!configuration.accessPolicy.apis.contains(.google))
        let development = try Configuration(isDevelopment: true, environment: [:])
        #expect(development.accessPolicy.apis.contains(.google))
        #expect(development.warnings.allSatisfy { !$0.contains("GOOGLE") })
    }
}
