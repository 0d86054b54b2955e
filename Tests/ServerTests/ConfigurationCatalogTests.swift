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
        #expect(catalog["season"]?.duration == CalendarDuration(months: 3, rest: .seconds(2 * 86_400 + 12 * 3600)))
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
            text: #"{"products":{"a":{"group_level":0}}}"#,
            problems: ["“a”: group_level is not a whole number from 1 to 1000000"]
        ),
        Case(
            text: #"{"products":{"a":{"level":1,"group_level":1}}}"#,
            problems: ["“a” has both level and group_level; they count in opposite directions, so keep one"]
        ),
        Case(
            text: """
                {"products":{"a":{"group":"g","level":1},"b":{"group":"g","group_level":2},
                "c":{"level":1},"d":{"group_level":1},"e":{"group":"h","group_level":1}}}
                """,
            problems: [
                "products without a group have both level and group_level; they count in opposite directions, so keep one",
                "group “g” has both level and group_level; they count in opposite directions, so keep one",
            ]
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
        Case(
            text: #"{"products":{"a":{"name":{}},"b":{"name":{"de":"B","DE":"b","d_":"x","en":""}}}}"#,
            problems: [
                "“a”: name has no language", "“b”: name has de twice",
                "“b”: name has “d_”, which is no language tag such as de or pt-BR",
                "“b”: name in en is not a text of 1 to 255 bytes without control characters",
            ]
        ),
    ])
    func namesEveryProblem(_ given: Case) throws {
        let folder = TemporaryFolder()
        let error = #expect(throws: ConfigurationError.self) { try read(given.text, in: folder) }
        #expect(error?.problems.map(\.text) == given.problems)
        #expect(error?.problems.allSatisfy { $0.name == "PAYCAST_CATALOG" } == true)
    }

    /// Who reads none of a name's languages gets the first.
    @Test func readsNamesInSeveralLanguages() throws {
        let folder = TemporaryFolder()
        let catalog = try read(
            """
            {"entitlements": {"pro": {"name": {"en": "Pro", "zh-Hant": "專業版"}}, "maps": {}},
            "products": {"year": {"name": {"en": "A year", "de": "Ein Jahr"}}, "plain": {"name": "Plain"}}}
            """,
            in: folder
        )
        let names = [catalog["year"]?.name, catalog["plain"]?.name, catalog.titles[catalog.main]]
        let read = ["de-AT", "fr", "zh-TW", "zh-Hant-TW"].map { tag in
            names.map { $0?.text(in: LanguageTag(tag)) ?? "" }
        }
        #expect(
            read == [
                ["Ein Jahr", "Plain", "Pro"], ["A year", "Plain", "Pro"], ["A year", "Plain", "Pro"],
                ["A year", "Plain", "專業版"],
            ]
        )
        #expect(names.map { $0?.text(in: nil) } == ["A year", "Plain", "Pro"])
    }

    /// As App Store Connect counts: 1 is the highest.
    @Test func groupLevelsRunTheOtherWay() throws {
        let folder = TemporaryFolder()
        let catalog = try read(
            #"{"products":{"top":{"group_level":1},"next":{"group_level":2},"last":{"group_level":1000000},"none":{}}}"#,
            in: folder
        )
        let levels = ["top", "next", "last", "none"].compactMap { catalog[$0]?.level }
        #expect(levels == levels.sorted(by: >) && Set(levels).count == 4)
    }

    struct Term: Sendable {
        var text: String
        var duration: CalendarDuration
    }

    @Test(arguments: [
        Term(text: "P1Y", duration: .years(1)), Term(text: "P1Y2M", duration: CalendarDuration(months: 14)),
        Term(text: "P2W", duration: .days(14)), Term(text: "PT36H", duration: .seconds(129_600)),
        Term(text: "P100Y", duration: .years(100)), Term(text: "P1200M", duration: .years(100)),
    ]) func readsDurations(_ given: Term) throws {
        let folder = TemporaryFolder()
        let catalog = try read(#"{"products":{"a":{"duration":"\#(given.text)"}}}"#, in: folder)
        #expect(catalog["a"]?.duration == given.duration)
    }

    @Test(arguments: [
        "", "P", "PT", "P1", "1Y", "P1Y1Y", "P1D1M", "PT1D", "P-1Y", "P0D", "P1.5Y", "P101Y", "P1201M", "P100Y1M",
        "P1YT", "P９D", "P1H",
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

    @Test func theVariableMayHoldTheFilesText() throws {
        let text = #"{"products":{"a":{"kind":"consumable"}}}"#
        let written = try Configuration(environment: ["PAYCAST_CATALOG": text]).accessPolicy.catalog
        #expect(try written == read(text, in: TemporaryFolder()))
        let broken = ["PAYCAST_CATALOG": "{"]
        let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: broken) }
        #expect(error?.problems.map(\.text) == ["is not JSON"])
    }

    @discardableResult
    private func read(_ text: String, in folder: TemporaryFolder) throws -> Catalog {
        let path = folder.write(text, to: "catalog.json")
        return try Configuration(environment: ["PAYCAST_CATALOG": path]).accessPolicy.catalog
    }
}
