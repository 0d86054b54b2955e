import Server
import Support
import TestSupport
import Testing

@testable import Domain

@Suite struct ConfigurationCatalogTests {
    @Test func readsProducts() throws {
        let folder = TemporaryFolder()
        let catalog = try read(
            """
            {"products": {
                "pro.yearly": {"group": "pro", "level": 2, "kind": "subscription", "name": "Pro, yearly"},
                "season": {"kind": "non_renewing", "duration": "P3M2DT12H"},
                "coins": {"kind": "consumable"},
                "plain": {}
            }}
            """,
            in: folder
        )
        #expect(
            catalog["pro.yearly"]
                == Catalog.Product(group: "pro", level: 2, kind: .subscription, name: "Pro, yearly")
        )
        #expect(catalog["season"]?.duration == .seconds(92 * 86_400 + 12 * 3600))
        #expect(catalog["coins"]?.kind == .consumable)
        #expect(catalog["plain"] == Catalog.Product())
        #expect(catalog["none"] == nil)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var problems: [String]
        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(text: " ", problems: ["is not JSON"]),
        Case(text: "{\"products\":{}} x", problems: ["is not JSON"]),
        Case(text: "[]", problems: ["the file is not an object"]),
        Case(text: "{}", problems: ["has no member “products”"]),
        Case(text: #"{"products":[]}"#, problems: ["products is not an object"]),
        Case(text: #"{"product":{},"products":{}}"#, problems: ["has an unknown member “product”"]),
        Case(text: #"{"products":{"a":1}}"#, problems: ["“a” is not an object"]),
        Case(text: #"{"products":{"a":{},"a":{}}}"#, problems: ["products has “a” twice"]),
        Case(text: #"{"products":{"a":{"level":1,"level":2}}}"#, problems: ["“a” has “level” twice"]),
        Case(
            text: #"{"products":{"a":{"kind":"subscription","kind":"consumable"}}}"#,
            problems: ["“a” has “kind” twice"]
        ),
        Case(text: #"{"products":{"a":{"prize":1}}}"#, problems: ["“a” has an unknown member “prize”"]),
        Case(
            text: #"{"products":{"a":{"level":-1}}}"#,
            problems: ["“a”: level is not a whole number from 0 to 1000000"]
        ),
        Case(
            text: #"{"products":{"a":{"level":9223372036854775808}}}"#,
            problems: ["“a”: level is not a whole number from 0 to 1000000"]
        ),
        Case(
            text: #"{"products":{"a":{"kind":"subscription","duration":"P1Y"}}}"#,
            problems: ["“a” is a subscription with a duration; only non_renewing products have one"]
        ),
        Case(
            text: #"{"products":{"a":{"kind":"lifetime"}}}"#,
            problems: ["“a”: kind is not one of subscription, non_renewing, non_consumable, consumable"]
        ),
        Case(
            text: #"{"products":{"a\u0007":{}}}"#,
            problems: ["product id “a?” must have 1 to 255 bytes and no control characters"]
        ),
        Case(
            text: #"{"products":{"a":{"name":""},"b":{"group":1,"x":2}}}"#,
            problems: [
                "“a”: name is not a text of 1 to 255 bytes without control characters",
                "“b”: group is not a text of 1 to 255 bytes without control characters",
                "“b” has an unknown member “x”",
            ]
        ),
    ])
    func namesEveryProblem(_ given: Case) throws {
        let folder = TemporaryFolder()
        let error = #expect(throws: ConfigurationError.self) { try read(given.text, in: folder) }
        #expect(error?.problems.map(\.text) == given.problems)
        #expect(error?.problems.allSatisfy { $0.name == "PAYCAST_CATALOG" } == true)
    }

    @Test(arguments: [
        "", "P", "PT", "P1", "1Y", "P1Y1Y", "P1D1M", "PT1D", "P-1Y", "P0D", "P1.5Y", "P101Y", "P1YT", "P９D", "P1H",
        "P99999999999999999999Y",
    ])
    func refusesDurations(_ text: String) throws {
        let folder = TemporaryFolder()
        #expect(throws: ConfigurationError.self) {
            try read(#"{"products":{"a":{"kind":"non_renewing","duration":"\#(text)"}}}"#, in: folder)
        }
    }

    @Test func fileThatIsMissingIsNamed() {
        #expect(throws: ConfigurationError.self) { try Configuration(environment: ["PAYCAST_CATALOG": "/nowhere"]) }
    }

    @Test func transferPolicies() throws {
        #expect(try Configuration(environment: [:]).accessPolicy.transfers == .transfer)
        for policy in TransferPolicy.allCases {
            let read = try Configuration(environment: ["PAYCAST_TRANSFERS": policy.rawValue])
            #expect(read.accessPolicy.transfers == policy)
        }
        #expect(throws: ConfigurationError.self) { try Configuration(environment: ["PAYCAST_TRANSFERS": "Share"]) }
    }

    @discardableResult
    private func read(_ text: String, in folder: TemporaryFolder) throws -> Catalog {
        let path = folder.write(text, to: "catalog.json")
        return try Configuration(environment: ["PAYCAST_CATALOG": path]).accessPolicy.catalog
    }
}
