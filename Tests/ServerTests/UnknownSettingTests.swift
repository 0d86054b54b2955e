import Server
import Support
import TestSupport
import Testing

/// A name that is misspelt stops the start: its default would hold without a word.
@Suite struct UnknownSettingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// What it most likely means; nil when nothing is near.
        var meant: String?

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "PAYCAST_STRIPE_SECRET", meant: "PAYCAST_STRIPE_SECRETS"),
        Case(name: "PAYCAST_STREAM_KEY", meant: "PAYCAST_STREAM_KEYS"),
        Case(name: "PAYCAST_APLE_BUNDLE_ID", meant: "PAYCAST_APPLE_BUNDLE_ID"),
        Case(name: "PAYCAST_API_KEY_FIEL", meant: "PAYCAST_API_KEY_FILE"),
        Case(name: "PAYCAST_PORT", meant: "PORT"),
        Case(name: "PAYCAST_DATABASE_URL", meant: "DATABASE_URL"),
        Case(name: "PAYCAST_SECRET_KEY_BASE_FILE", meant: "SECRET_KEY_BASE_FILE"),
        Case(name: "paycast_loops", meant: "PAYCAST_LOOPS"),
        Case(name: "PAYCAST_", meant: nil),
        Case(name: "PAYCAST_ENTIRELY_DIFFERENT", meant: nil),
    ]) func namesTheNearest(_ given: Case) {
        let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: [given.name: "hunter2"]) }
        #expect(error?.problems.map(\.name) == [given.name])
        let text = error?.problems.first?.text ?? ""
        let expected = given.meant.map { "is not a setting. Did you mean \($0)?" }
        #expect(expected.map { text == $0 } ?? text.contains("--help"), "\(text)")
        #expect(!text.contains("hunter2"))
    }

    @Test(arguments: ["PATH", "PAYCASTLE", "MY_PAYCAST_KEY", "PAYCAST_SERVER"]) func othersAreNotJudged(_ name: String)
        throws
    {
        _ = try Configuration(environment: [name: "x"])
    }

    @Test func emptyOneIsNotSet() throws {
        _ = try Configuration(environment: ["PAYCAST_STRIPE_SECRET": ""])
    }

    /// Whatever else is wrong with the values.
    @Test func everySettingOfTheArticleIsKnown() throws {
        let catalog = PaycastProgram.root + "/Sources/paycast/Documentation.docc"
        let article = try #require(readFile(catalog + "/Settings.md"))
        var names: Set<String> = []
        for match in article.matches(of: try Regex("`(PAYCAST_[A-Z_]+[A-Z])`", as: (Substring, Substring).self)) {
            names.insert(String(match.output.1))
        }
        #expect(names.count > 40)
        for isDevelopment in [true, false] {
            let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "\u{1}") })
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration(isDevelopment: isDevelopment, environment: environment)
            }
            let unknown = error?.problems.filter { $0.text.hasPrefix("is not a setting") }.map(\.name)
            #expect(unknown == [], "in Settings.md, and read by nobody")
        }
    }
}

/// Keys that can be guessed stop the start, except on a developer's machine.
@Suite struct ShortKeyTests {
    static let names = [
        "PAYCAST_API_KEY", "PAYCAST_STREAM_KEYS", "SECRET_KEY_BASE", "PAYCAST_STRIPE_SECRETS",
        "PAYCAST_REVENUECAT_AUTHORIZATION", "PAYCAST_REVENUECAT_SECRETS", "PAYCAST_PURCHASEKIT_SECRET",
    ]
    static let short = "fifteen-letters"
    static let long = "sixteen-letters!"

    @Test(arguments: names) func stopsTheStart(_ name: String) throws {
        let folder = TemporaryFolder()
        let file = folder.write(Self.short + "\n", to: "key")
        for (variable, value) in [(name, Self.short), (name + "_FILE", file)] {
            let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: [variable: value]) }
            #expect(error?.problems.map(\.name) == [variable])
            #expect(error?.description.contains("fewer than 16 characters") == true)
            #expect(error?.description.contains(Self.short) == false)
            _ = try Configuration(isDevelopment: true, environment: [variable: value])
        }
        _ = try Configuration(environment: [name: Self.long])
    }

    @Test func placeInAListIsNamed() {
        let environment = ["PAYCAST_API_KEY": "\(Self.long),\(Self.short)"]
        let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: environment) }
        #expect(error?.problems.map(\.text).first?.hasPrefix("item 2 of the list has fewer than") == true)
    }
}
