import Domain
import TestSupport
import Testing

/// Whole lives over the server's own clock, with what can go wrong between a store and a server.
@Suite(.blocking) struct ScenarioJourneyTests {
    @Test func lifeIsSeenOnThePage() throws {
        let server = try PaycastServer()
        let process = server.paycast("trigger", "apple", "--scenario", "life", "--user", "42")
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.errors)")
        let lines = process.output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("applied ") }.count == 6, "\(process.output)")
        #expect(lines.filter { $0.hasPrefix("page ") }.count == 6, "\(process.output)")
    }

    /// Each as far as it has such steps, with what a page is to show after each.
    @Test(arguments: ["stripe", "revenuecat", "purchasekit"], ["life", "lapse", "recovery"])
    func everyStoreLives(_ store: String, name: String) throws {
        let server = try PaycastServer()
        let process = server.paycast("trigger", store, "--scenario", name, "--user", "42")
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.output) \(process.errors)")
        let lines = process.output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("applied ") }.count >= 2, "\(process.output)")
        let replay = server.paycast("replay", "--since", "start", "--dry-run")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output.hasSuffix("read, 0 would change, 0 skipped\n"), "\(replay.output)")
    }

    /// Pub/Sub is answered with a status alone, so that the feed tells the outcome; and a notification means nothing
    /// without Google's API.
    @Test(arguments: ["life", "lapse", "recovery"]) func googleLives(_ name: String) throws {
        let server = try PaycastServer()
        let process = server.paycast("trigger", "google", "--scenario", name, "--user", "42")
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.output) \(process.errors)")
        let lines = process.output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("applied ") }.count >= 2, "\(process.output)")
        #expect(lines.filter { $0.hasPrefix("page ") }.count >= 2, "\(process.output)")
        let replay = server.paycast("replay", "--since", "start", "--dry-run")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output.hasSuffix("read, 0 would change, 0 skipped\n"), "\(replay.output)")
    }

    @Test(arguments: ["apple", "stripe", "revenuecat", "purchasekit"]) func changedByteIsRefused(_ store: String) throws
    {
        let server = try PaycastServer()
        let process = server.paycast("trigger", store, "initial", "--user", "42", "--tamper")
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        #expect(process.output.hasSuffix("-  (tampered)\n"), "\(process.output)")
    }

    @Test func lostOneIsRecovered() throws {
        let server = try PaycastServer()
        let lost = server.paycast("trigger", "apple", "initial", "--user", "42", "--lose")
        #expect(try lost.waitForExit() == 0, "\(lost.errors)")
        let recover = server.paycast("recover", "apple", "--since", "1d")
        #expect(try recover.waitForExit() == 0, "\(recover.errors)")
        #expect(recover.output.hasPrefix("found      1\n"), "\(recover.output)")
        let tail = server.paycast(
            "tail",
            "--since",
            "start",
            "--user",
            "42",
            "--until",
            "state=active",
            "--timeout",
            "40"
        )
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
    }

    @Test func wrongExpectationExits1WithWhatCame() throws {
        let server = try PaycastServer()
        let words = ["trigger", "apple", "initial", "--user", "42", "--expect", "revoked", "--timeout", "10"]
        let process = server.paycast(words)
        #expect(try process.waitForExit() == 1)
        #expect(process.errors.contains("did not receive revoked"))
        #expect(process.errors.contains("paywall:success"), "\(process.errors)")
    }

    @Test func eventAndTextAreExpected() throws {
        let server = try PaycastServer()
        let words = ["--expect", "paywall:success", "--expect-text", "turbo-stream"]
        let process = server.paycast(["trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "42"] + words)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        let lines = process.output.split(separator: "\n")
        #expect(lines.count == 5 && lines[0] == "outcome  applied", "\(process.output)")
        #expect(lines[3].hasPrefix("page     ") && lines[3].contains("paywall:success"))
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var words: [String]
        /// The first words of the lines that tell of deliveries.
        var outcomes: [String]
    }

    @Test(arguments: [
        Fault(
            testDescription: "what is delivered again is a duplicate",
            words: ["--duplicate", "3", "--expect", "success"],
            outcomes: ["applied", "duplicate", "duplicate"]
        ),
        Fault(testDescription: "a changed byte is refused", words: ["--tamper"], outcomes: ["bad_signature"]),
        Fault(
            testDescription: "a late one counts as well",
            words: ["--delay", "86400", "--expect", "success"],
            outcomes: ["applied"]
        ),
        Fault(testDescription: "a lost one is not delivered", words: ["--lose"], outcomes: ["-"]),
    ]) func faultIsToldAsTheServerSeesIt(_ fault: Fault) throws {
        let server = try PaycastServer()
        let process = server.paycast(["trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "42"] + fault.words)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        let outcomes = process.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(outcomes.filter { $0 != "page" } == fault.outcomes.map { Substring($0) }, "\(process.output)")
    }

    @Test func oldStatementChangesNothing() throws {
        let server = try PaycastServer()
        let words = ["trigger", "apple", "--scenario", "-", "--user", "42", "--timeout", "10"]
        let process = server.paycast(words, input: "initial → +10d cancel stale expect ending → TEST expect ending")
        #expect(try process.waitForExit() == 1)
        let lines = process.output.split(separator: "\n")
        #expect(lines.filter { $0.hasSuffix("(stale)") && !$0.hasPrefix("applied") }.count == 1, "\(process.output)")
        #expect(process.errors.contains("did not receive ending in time; nothing arrived"), "\(process.errors)")
    }

    struct Word: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var words: [String]
        var outcome: String
    }

    @Test(arguments: [
        Word(testDescription: "of a user", words: ["initial", "--user", "42"], outcome: "applied"),
        Word(testDescription: "of nobody", words: ["TEST"], outcome: "ignored"),
        Word(testDescription: "that nobody claims", words: ["initial"], outcome: "unclaimed"),
    ]) func outcomeOfGoogleIsFoundInTheFeed(_ word: Word) throws {
        let server = try PaycastServer()
        let process = server.paycast(["trigger", "google"] + word.words)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        #expect(process.output.hasPrefix("outcome  \(word.outcome)\nevent    "), "\(process.output)")
        #expect(!process.output.contains("cursor   -"), "\(process.output)")
        let json = server.paycast(["trigger", "google", "--json"] + word.words)
        #expect(try json.waitForExit() == 0, "\(json.errors)")
        #expect(json.output.contains(#""outcome":"\#(word.outcome)""#), "\(json.output)")
    }

    @Test(arguments: ["apple", "google", "stripe", "revenuecat", "purchasekit"])
    func whatComesAgainIsADuplicate(_ store: String) throws {
        let server = try PaycastServer()
        let process = server.paycast("trigger", store, "initial", "--user", "42", "--duplicate", "3")
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        let outcomes = process.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(outcomes == ["applied", "duplicate", "duplicate"], "\(process.output)")
    }

    @Test func planOfRevenueCatIsChangedByTwoEvents() throws {
        let server = try PaycastServer()
        let scenario = "initial expect success → +5d upgrade expect manage expect success"
        let process = server.paycast(
            ["trigger", "revenuecat", "--scenario", "-", "--user", "42"],
            input: scenario
        )
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.errors)")
        let tail = server.paycast("tail", "--since", "start", "--json", "--limit", "3", "--timeout", "40")
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
        let lines = tail.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[1].contains("PRODUCT_CHANGE") && lines[1].contains("monthly"))
        #expect(lines[2].contains(#""type":"RENEWAL""#) && lines[2].contains("paycast.pro.annual"), "\(lines)")
    }

    /// Bought once, paid back, and given back, as far as the store has it.
    @Test(arguments: ["apple", "google", "stripe", "revenuecat"]) func purchaseLives(_ store: String) throws {
        let server = try PaycastServer()
        let steps = "initial expect success → +1d refund expect revoked"
        let scenario = steps + (store == "google" ? "" : " → +1d reversed expect success")
        let process = server.paycast(
            ["trigger", store, "--scenario", "-", "--user", "42", "--kind", "non_consumable"],
            input: scenario
        )
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.output) \(process.errors)")
    }

    /// No late event takes a page back.
    @Test(arguments: ["google", "stripe", "revenuecat", "purchasekit"])
    func orderOfDeliveryDoesNotMatterAtAnyStore(_ store: String) throws {
        let server = try PaycastServer()
        for seed in 1...3 {
            let words = ["--scenario", "life", "--user", "\(seed)", "--shuffle", "\(seed)"]
            let process = server.paycast(["trigger", store] + words)
            #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.output) \(process.errors)")
            #expect(process.errors.contains("checked: no late event moved a page back"), "\(process.errors)")
            #expect(process.errors.contains("not checked: what "), "\(process.errors)")
        }
    }

    @Test(arguments: [1, 2, 3]) func orderOfDeliveryDoesNotMatter(_ seed: Int) throws {
        let server = try PaycastServer()
        let words = ["--scenario", "life", "--user", "42", "--shuffle", "\(seed)"]
        let process = server.paycast(["trigger", "apple"] + words)
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.errors)")
        #expect(process.errors.contains("--shuffle \(seed)"))
        let page = try #require(process.output.split(separator: "\n").last)
        #expect(page.hasPrefix("page ") && page.hasSuffix("paywall:success"), "\(process.output)")
    }

    @Test func scenarioFileIsNamedInItsProblems() throws {
        let server = try PaycastServer()
        server.folder.write("initial\nrecovr\n", to: "life.txt")
        let process = server.paycast("trigger", "apple", "--scenario", "life.txt", "--user", "42")
        #expect(try process.waitForExit() == 1)
        #expect(process.errors.contains("life.txt:2: no event is named “recovr”. Did you mean recover?"))
        server.folder.write("initial outcome stale", to: "wrong.txt")
        let wrong = server.paycast("trigger", "apple", "--scenario", "wrong.txt", "--user", "42")
        #expect(try wrong.waitForExit() == 1)
        #expect(wrong.errors.contains("wrong.txt:1: the outcome is applied, not stale"), "\(wrong.errors)")
    }

    /// Nothing happens but that time passes.
    @Test func accessEndsWhenTheClockIsMoved() throws {
        let server = try PaycastServer()
        let words = ["--user", "42", "--expect", "success"]
        let process = server.paycast(["trigger", "apple", "SUBSCRIBED/INITIAL_BUY"] + words)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        let tail = server.paycast("tail", "--since", "start", "--until", "state=expired", "--timeout", "40")
        let socket = try server.connect()
        let body = #"{"advance":5184000}"#
        try socket.send(
            "PUT /demo/api/clock HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        #expect(try socket.read(until: "\r\n\r\n").contains("200"))
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
        let offset = try #require(server.folder.read(".paycast/clock").flatMap { Int($0.dropLast()) })
        #expect(offset >= 5_183_999)
    }

    @Test func onlyADevelopmentServerHasAClockToMove() throws {
        let server = try PaycastServer([], environment: ["PAYCAST_API_KEY": "key-key-key-key-key"])
        let socket = try server.connect()
        try socket.send("PUT /demo/api/clock HTTP/1.1\r\nHost: x\r\nContent-Length: 13\r\n\r\n{\"advance\":1}")
        #expect(try socket.read(until: "\r\n\r\n").contains("404"))
    }
}
