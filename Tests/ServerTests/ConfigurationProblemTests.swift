import Server
import Support
import Testing

@Suite struct ConfigurationProblemTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var variable: String
        var value: String
        var blamed: String?
        var others: [String: String] = [:]

        var testDescription: String { "\(variable)=\(value)" }
    }

    static let cases = [
        Case(variable: "PORT", value: "-1"),
        Case(variable: "PORT", value: "65536"),
        Case(variable: "PORT", value: "http"),
        Case(variable: "PAYCAST_BIND", value: "example.com"),
        Case(variable: "DATABASE_URL", value: "mysql://host/db"),
        Case(variable: "DATABASE_URL", value: "sqlite:"),
        Case(variable: "PAYCAST_PUBLIC", value: "/nowhere"),
        Case(variable: "PAYCAST_PUBLIC", value: "/etc/passwd"),
        Case(variable: "PAYCAST_LOOPS", value: "65"),
        Case(variable: "SSL_CERT_FILE", value: "/nowhere"),
        Case(variable: "SSL_CERT_FILE", value: "/etc/passwd"),
        Case(variable: "PAYCAST_LOG_FORMAT", value: "xml"),
        Case(variable: "PAYCAST_LOG_LEVEL", value: "loud"),
        Case(variable: "PAYCAST_API_KEY", value: " , "),
        Case(variable: "PAYCAST_STREAM_NAME", value: "paywall"),
        Case(variable: "PAYCAST_ALLOWED_ORIGINS", value: "shop.example"),
        Case(variable: "PAYCAST_ALLOWED_ORIGINS", value: "https://shop.example/"),
        Case(variable: "PAYCAST_ALLOWED_ORIGINS", value: "https://shop.example:99999"),
        Case(variable: "PAYCAST_APPLE_BUNDLE_ID", value: "com.example app"),
        Case(variable: "PAYCAST_APPLE_BUNDLE_ID", value: "com.example.app", blamed: "PAYCAST_APPLE_APP_ID"),
        Case(variable: "PAYCAST_APPLE_APP_ID", value: "com.example"),
        Case(variable: "PAYCAST_APPLE_ENVIRONMENTS", value: "Xcode"),
        Case(variable: "PAYCAST_APPLE_ENVIRONMENTS", value: "Sandbox,LocalTesting"),
        Case(variable: "PAYCAST_APPLE_ENVIRONMENTS", value: "sandbox"),
        Case(variable: "PAYCAST_APPLE_ROOTS", value: "/nowhere"),
        Case(variable: "PAYCAST_APPLE_API_KEY_ID", value: "ID", blamed: "PAYCAST_APPLE_API_KEY"),
        Case(variable: "PAYCAST_APPLE_API_URL", value: "localhost:1"),
        Case(variable: "PAYCAST_STRIPE_TOLERANCE", value: "soon"),
        Case(variable: "PAYCAST_REVENUECAT_TOLERANCE", value: "0"),
        Case(variable: "PAYCAST_STRIPE_ACCOUNTS", value: "evil"),
        Case(variable: "PAYCAST_STRIPE_API_KEY", value: "rk_live_1", blamed: "PAYCAST_STRIPE_SECRETS"),
        Case(variable: "PAYCAST_GOOGLE_PACKAGE", value: "com.example.app", blamed: "PAYCAST_GOOGLE_AUDIENCE"),
        Case(variable: "PAYCAST_GOOGLE_CREDENTIALS", value: "/nowhere"),
        Case(variable: "PAYCAST_GOOGLE_CERTS_URL", value: "file:///etc/passwd"),
    ]

    @Test(arguments: cases) func namesTheVariable(_ example: Case) {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(environment: [example.variable: example.value])
        }
        #expect(error?.problems.contains { $0.name == example.blamed ?? example.variable } == true)
        #expect(error?.isAboutFlags == false)
    }

    @Test func instantIsCheckedInDevelopment() {
        #expect(throws: ConfigurationError.self) {
            try Configuration(isDevelopment: true, environment: ["PAYCAST_DEV_NOW": "tomorrow"])
        }
    }
}
