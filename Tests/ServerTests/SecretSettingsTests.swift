import Server
import Support
import TestSupport
import Testing

/// Secrets never show in a start error, however broken they are or wherever they were put.
@Suite struct SecretSettingsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var variable: String
        var value: String
        var others: [String: String] = [:]

        var testDescription: String { "\(variable)=\(value.prefix(24))" }
    }

    static let secret = "hunter2hunter2"
    static let pem = "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----"

    static let cases = [
        Case(variable: "PAYCAST_GOOGLE_CREDENTIALS", value: #"{"private_key":"\#(secret)"}"#),
        Case(variable: "PAYCAST_GOOGLE_CREDENTIALS", value: secret),
        Case(variable: "PAYCAST_TLS_KEY", value: pem, others: ["PAYCAST_TLS_CERT": "/nowhere"]),
        Case(variable: "PAYCAST_TLS_KEY", value: secret, others: ["PAYCAST_TLS_CERT": "/nowhere"]),
        Case(variable: "PAYCAST_TLS_CERT", value: pem, others: ["PAYCAST_TLS_KEY": "/nowhere"]),
        Case(variable: "PAYCAST_FORWARD", value: "https://a.example,ftp://user:\(secret)@staging.example"),
        Case(variable: "PAYCAST_GOOGLE_API_URL", value: "user:\(secret)@host"),
        Case(variable: "PAYCAST_GOOGLE_CERTS_URL", value: "user:\(secret)@host"),
        Case(variable: "PAYCAST_APPLE_API_URL", value: "user:\(secret)@host"),
        Case(variable: "PAYCAST_STRIPE_API_URL", value: "user:\(secret)@host"),
        Case(
            variable: "PAYCAST_APPLE_API_KEY",
            value: pem,
            others: ["PAYCAST_APPLE_API_KEY_ID": "id", "PAYCAST_APPLE_API_ISSUER_ID": "issuer"]
        ),
        Case(
            variable: "PAYCAST_APPLE_API_KEY",
            value: secret,
            others: ["PAYCAST_APPLE_API_KEY_ID": "id", "PAYCAST_APPLE_API_ISSUER_ID": "issuer"]
        ),
        Case(variable: "PAYCAST_STRIPE_API_KEY", value: secret),
        Case(variable: "REDIS_URL", value: "redis://user:\(secret)@host:port"),
        Case(variable: "REDIS_URL", value: "rediss://user:\(secret)@host:none"),
        Case(variable: "PAYCAST_RAILS_CABLE_URL", value: "postgres://user:\(secret)@host:port/db"),
        Case(variable: "PAYCAST_RAILS_CABLE_URL", value: "mysql2://user:\(secret)@host/db"),
        Case(variable: "PAYCAST_RAILS_CABLE_URL", value: "sqlite://user:\(secret)@host/db"),
        Case(variable: "DATABASE_URL", value: "postgres://user:\(secret)@host:port/paycast"),
        Case(variable: "DATABASE_URL", value: "mysql://user:\(secret)@host/paycast"),
        Case(
            variable: "PAYCAST_LISTEN_URL",
            value: "user:\(secret)@host",
            others: ["DATABASE_URL": "postgres://host/paycast"]
        ),
        Case(variable: "DATABASE_URL", value: "sqlite://user:\(secret)@host/paycast"),
        Case(variable: "PAYCAST_API_KEY_FILE", value: secret),
        Case(variable: "SECRET_KEY_BASE_FILE", value: "/\(secret)"),
        Case(variable: "PAYCAST_STRIPE_SECRETS_FILE", value: secret),
    ]

    @Test(arguments: cases) func doNotShow(_ example: Case) {
        let environment = example.others.merging([example.variable: example.value]) { $1 }
        let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: environment) }
        #expect(error?.problems.isEmpty == false)
        #expect(error?.description.contains(Self.secret) == false)
    }

    /// Nobody prints a configuration on purpose.
    @Test func addressesDoNotShowInADump() throws {
        let url = "postgres://user:\(Self.secret)@host/paycast"
        let configuration = try Configuration(environment: ["DATABASE_URL": url, "PAYCAST_LISTEN_URL": url])
        var text = "\(configuration)"
        dump(configuration, to: &text)
        #expect(!text.contains(Self.secret))
    }

    @Test func fileOfASecret() throws {
        let folder = TemporaryFolder()
        let configuration = try Configuration(environment: [
            "PAYCAST_API_KEY_FILE": folder.write("new-new-new-new-new, old-old-old-old-old\n", to: "api"),
            "SECRET_KEY_BASE_FILE": folder.write("base-base-base-base\n", to: "base"),
        ])
        #expect(configuration.apiKeys.map(\.value) == ["new-new-new-new-new", "old-old-old-old-old"])
        #expect(configuration.secretKeyBases.map(\.value) == ["base-base-base-base"])
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var environment: @Sendable (TemporaryFolder) -> [String: String]
    }

    @Test(arguments: [
        Wrong(testDescription: "beside the variable") {
            ["PAYCAST_API_KEY_FILE": $0.write("a-a-a-a-a-a-a-a-a", to: "key"), "PAYCAST_API_KEY": "b-b-b-b-b-b-b-b-b"]
        },
        Wrong(testDescription: "missing") { ["PAYCAST_API_KEY_FILE": $0.path + "/nowhere"] },
        Wrong(testDescription: "blank") { ["PAYCAST_API_KEY_FILE": $0.write(" \n", to: "key")] },
        Wrong(testDescription: "no item") { ["PAYCAST_API_KEY_FILE": $0.write(" , \n", to: "key")] },
        Wrong(testDescription: "too large") {
            ["PAYCAST_API_KEY_FILE": $0.write(String(repeating: "x", count: 70_000), to: "key")]
        },
    ])
    func wrongFileIsNamed(_ given: Wrong) {
        let folder = TemporaryFolder()
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(environment: given.environment(folder))
        }
        #expect(error?.problems.map(\.name) == ["PAYCAST_API_KEY_FILE"])
    }
}
