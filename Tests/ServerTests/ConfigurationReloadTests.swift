import Crypto
import Server
import Support
import TestSupport
import Testing

@Suite struct ConfigurationReloadTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var variable: String
        var name: String
        var first = "one-one-one-one-one"
        var second = "two-two-two-two-two"
        /// Nothing that can be used.
        var broken = " \n"
        var others: [String: String] = [:]

        init(_ name: String, others: [String: String] = [:]) {
            variable = "\(name)_FILE"
            self.name = name
            self.others = others
        }

        var testDescription: String { variable }

        func environment(_ path: String) -> [String: String] {
            others.merging([variable: path]) { $1 }
        }
    }

    static let cases: [Case] = {
        var catalog = Case("PAYCAST_CATALOG")
        catalog.variable = "PAYCAST_CATALOG"
        catalog.first = #"{"products":{"a":{"level":1}}}"#
        catalog.second = #"{"products":{"a":{"level":2}}}"#
        var apple = Case("PAYCAST_APPLE_API_KEY")
        apple.variable = "PAYCAST_APPLE_API_KEY"
        apple.others = ["PAYCAST_APPLE_API_KEY_ID": "id", "PAYCAST_APPLE_API_ISSUER_ID": "issuer"]
        apple.first = (try? PrivateKey.generate(.p256).pem()) ?? ""
        apple.second = (try? PrivateKey.generate(.p256).pem()) ?? ""
        return [
            Case("PAYCAST_API_KEY"), Case("SECRET_KEY_BASE"), Case("PAYCAST_STREAM_KEYS"),
            Case("PAYCAST_STRIPE_SECRETS"),
            Case("PAYCAST_STRIPE_API_KEY", others: ["PAYCAST_STRIPE_SECRETS": "whsec_0123456789"]),
            Case("PAYCAST_REVENUECAT_AUTHORIZATION"), Case("PAYCAST_REVENUECAT_SECRETS"),
            Case("PAYCAST_PURCHASEKIT_SECRET"), catalog, apple,
        ]
    }()

    @Test(arguments: cases) func takesWhatIsNewAndKeepsWhatIsGood(_ given: Case) throws {
        let folder = TemporaryFolder()
        let path = folder.write(given.first, to: "file")
        var configuration = try Configuration(environment: given.environment(path))
        #expect(configuration.reload().names.isEmpty)
        folder.write(given.second, to: "file")
        let changes = configuration.reload()
        #expect(changes.names == [given.name] && changes.problems.isEmpty)
        #expect(configuration.reload().names.isEmpty)
        folder.write(given.broken, to: "file")
        let broken = configuration.reload()
        #expect(broken.names.isEmpty)
        #expect(broken.problems.first?.name == given.variable)
        folder.write(given.second, to: "file")
        #expect(configuration.reload().names.isEmpty, "the old one stayed")
    }

    /// What is read at the start alone stays, whatever a later look finds.
    @Test func oneProblemHoldsUpNoOtherSetting() throws {
        let folder = TemporaryFolder()
        let environment = [
            "PAYCAST_API_KEY_FILE": folder.write("one-one-one-one-one", to: "api"),
            "PAYCAST_CATALOG": folder.write(#"{"products":{}}"#, to: "catalog"),
        ]
        var configuration = try Configuration(environment: environment)
        folder.write("two-two-two-two-two", to: "api")
        folder.write("{", to: "catalog")
        let changes = configuration.reload()
        #expect(configuration.apiKeys.map(\.value) == ["two-two-two-two-two"])
        #expect(changes.names == ["PAYCAST_API_KEY"] && changes.problems.map(\.name) == ["PAYCAST_CATALOG"])
    }
}
