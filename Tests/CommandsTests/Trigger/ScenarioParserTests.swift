import Domain
import Simulator
import Testing

@testable import Commands

@Suite struct ScenarioParserTests {
    private static let words = StoreEventParser(vocabulary: LifecycleEventNames(.apple), types: SimulatedAppStore.types)

    struct Good: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var labels: [String]
        var check: @Sendable ([Scenario.Step]) -> Bool = { _ in true }

        init(
            _ name: String,
            text: String,
            labels: [String],
            check: @escaping @Sendable ([Scenario.Step]) -> Bool = { _ in true }
        ) {
            testDescription = name
            self.text = text
            self.labels = labels
            self.check = check
        }
    }

    @Test(arguments: [
        Good("a step a line", text: "initial\nDID_RENEW", labels: ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"]) {
            $0.map(\.line) == [1, 2] && $0.map(\.after) == [.zero, .seconds(1)]
        },
        Good("arrows", text: "initial → renew -> refund", labels: ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "REFUND"]) {
            $0.map(\.line) == [1, 1, 1]
        },
        Good(
            "comments and empty lines",
            text: "# a life\r\n\r\n  initial # first\r\n",
            labels: ["SUBSCRIBED/INITIAL_BUY"]
        ) {
            $0[0].line == 3
        },
        Good(
            "times",
            text: "+31d renew → +1w2d3h4m5s renew → +90s renew",
            labels: ["DID_RENEW", "DID_RENEW", "DID_RENEW"]
        ) {
            $0.map(\.after) == [.seconds(2_678_400), .seconds(788_645), .seconds(90)]
        },
        Good(
            "what a step is for is known",
            text: "EXPIRED/VOLUNTARY → EXPIRED",
            labels: ["EXPIRED/VOLUNTARY", "EXPIRED"]
        ) {
            $0.map(\.event.meaning) == [.expire, nil]
        },
        Good(
            "expectations",
            text: "initial expect success expect paywall:success outcome applied",
            labels: ["SUBSCRIBED/INITIAL_BUY"]
        ) {
            $0[0].expected.map(\.description) == ["success", "paywall:success"] && $0[0].outcome == "applied"
        },
        Good("faults", text: "renew duplicate 3 delay 5m tamper stale lose product p", labels: ["DID_RENEW"]) {
            $0[0].faults
                == DeliveryFaults(copies: 3, delay: .seconds(300), isTampered: true, isStale: true, isLost: true)
                && $0[0].product == "p"
        },
        Good("a type of tomorrow", text: "A_NEW_TYPE/WITH_A_SUBTYPE", labels: ["A_NEW_TYPE/WITH_A_SUBTYPE"]) {
            $0[0].event.meaning == nil
        },
    ]) func reads(_ good: Good) throws {
        let steps = try ScenarioParser(words: Self.words).parse(good.text).steps
        #expect(steps.map(\.event.label) == good.labels)
        #expect(good.check(steps))
    }

    /// What is expected belongs to the last of its events.
    @Test func wordOfTwoEventsIsTwoSteps() throws {
        let words = StoreEventParser(vocabulary: LifecycleEventNames(.revenuecat), types: [])
        let steps = try ScenarioParser(words: words).parse("initial\n+5d upgrade product p expect manage").steps
        #expect(steps.map(\.event.label) == ["INITIAL_PURCHASE", "PRODUCT_CHANGE", "RENEWAL/UPGRADE"])
        #expect(steps.map(\.after) == [.zero, .seconds(432_000), .seconds(1)])
        #expect(steps.map(\.product) == [nil, "p", "p"] && steps.map(\.line) == [1, 2, 2])
        #expect(steps.map(\.expected.count) == [0, 0, 1])
    }

    struct Shuffled: Sendable, CustomTestStringConvertible {
        var text: String
        var told: [String]

        var testDescription: String { text }
    }

    @Test(arguments: [
        Shuffled(text: "initial expect success → renew", told: ["no late event", "1 earlier step expects"]),
        Shuffled(
            text: "initial expect success → renew outcome applied → refund expect revoked",
            told: ["no late event", "in the end", "2 earlier steps expect"]
        ),
        Shuffled(text: "initial delay 1d → renew", told: ["checked nothing"]),
    ]) func shufflingSaysWhatItChecks(_ given: Shuffled) throws {
        let told = try ScenarioParser(words: Self.words).parse(given.text).whatShufflingChecks
        for words in given.told { #expect(told.contains(words), "\(told)") }
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var text: String
        var line: Int
        var hint: String

        var testDescription: String { String(text.prefix(60)) }
    }

    @Test(arguments: [
        Bad(text: "", line: 1, hint: "no step"),
        Bad(text: "# nothing\n", line: 1, hint: "no step"),
        Bad(text: "initial\nrecovr", line: 2, hint: "Did you mean recover?"),
        Bad(text: "initial\n\npause", line: 3, hint: "apple has nothing like “pause”"),
        Bad(text: "+31 renew", line: 1, hint: "31d"),
        Bad(text: "+d renew", line: 1, hint: "31d"),
        Bad(text: "+ renew", line: 1, hint: "not a duration"),
        Bad(text: "+99999999999999999999d renew", line: 1, hint: "not a duration"),
        Bad(text: "+999999999w renew", line: 1, hint: "ten years"),
        Bad(text: "renew -> +31d", line: 1, hint: "no event"),
        Bad(text: "/INITIAL_BUY", line: 1, hint: "empty"),
        Bad(text: "SUBSCRIBED/", line: 1, hint: "empty"),
        Bad(text: "renew expect", line: 1, hint: "needs a value"),
        Bad(text: "renew expect sucess", line: 1, hint: "Did you mean success?"),
        Bad(text: "renew outcome aplied", line: 1, hint: "Did you mean applied?"),
        Bad(text: "renew duplicate 0", line: 1, hint: "1 to 1000"),
        Bad(text: "renew duplicat 3", line: 1, hint: "Did you mean duplicate?"),
        Bad(text: "renew delay -5m", line: 1, hint: "not a duration"),
        Bad(text: String(repeating: "renew\n", count: 1001), line: 1001, hint: "more than 1000"),
    ]) func saysWhatIsWrongAndWhere(_ bad: Bad) {
        let error = #expect(throws: CommandFailure.self) { try ScenarioParser(words: Self.words).parse(bad.text) }
        #expect(error?.message.hasPrefix("\(bad.line): ") == true)
        #expect(error?.message.contains(bad.hint) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: SimulatedStores.providers, Scenario.names) func everyBuiltInOneIsRead(
        _ provider: Provider,
        name: String
    )
        throws
    {
        let vocabulary = LifecycleEventNames(provider)
        guard !vocabulary.steps.isEmpty else { return }
        let text = try #require(Scenario.builtIn.first { $0.key == name }?.value)
        let parser = ScenarioParser(words: StoreEventParser(vocabulary: vocabulary, types: []), isLenient: true)
        #expect(try parser.parse(text).steps.first?.event.meaning == .initial)
    }
}
