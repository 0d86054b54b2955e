import API
import Crypto
import Domain
import Support
import TestSupport
import Testing

@testable import Commands
@testable import Stores

@Suite(.blocking) struct DoctorTests {
    private static let key = "0123456789abcdef0123456789abcdef"
    private static let now = Instant(milliseconds: 1_767_225_600_000)

    struct Skew: Sendable, CustomTestStringConvertible {
        var seconds: Int64
        var level: Finding.Level

        var testDescription: String { "\(seconds) s" }
    }

    @Test(arguments: [
        Skew(seconds: 0, level: .ok), Skew(seconds: -30, level: .ok), Skew(seconds: 60, level: .warn),
        Skew(seconds: -301, level: .fail), Skew(seconds: 86_400, level: .fail),
    ]) func judgesTheClock(_ skew: Skew) {
        let word = StoreClockAnswer(store: "Stripe", aheadSeconds: skew.seconds)
        #expect(ClockCheck(words: [word]).findings.map(\.level) == [skew.level])
        #expect(ClockCheck(words: []).findings.map(\.level) == [.warn])
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"), ("Sunday, 06-Nov-94 08:49:37 GMT", nil),
        ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("", nil), ("a b c d e GMT", nil),
    ]) func readsDates(_ text: String, expected: String?) {
        #expect(Instant(httpDate: text)?.iso8601 == expected)
    }

    @Test(arguments: [
        ("2026-01-01T00:00:00Z", Finding.Level.ok), ("2034-12-01T00:00:00Z", .warn), ("2035-03-01T00:00:00Z", .fail),
        ("2000-01-01T00:00:00Z", .fail),
    ]) func judgesApplesRoots(_ now: String, worst: Finding.Level) throws {
        let findings = TrustedRoots.apple.findings(at: try #require(Instant(iso8601: now)))
        #expect(findings.count == (now < "2027" ? 4 : 3))
        let levels = findings.map(\.level)
        #expect((levels.contains(.fail) ? .fail : levels.contains(.warn) ? .warn : .ok) == worst, "\(findings)")
        #expect(findings.contains { $0.detail.contains("Apple Root CA - G3") })
    }

    struct Google: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var audience: String?
        var pushAccount: String?
        var credentials: String?
        var levels: [Finding.Level]
    }

    private static let account =
        #"{"type":"service_account","client_email":"a@b.iam.gserviceaccount.com","private_key":"-----BEGIN PRIVATE KEY-----"}"#

    @Test(arguments: [
        Google(
            testDescription: "all of it",
            audience: "https://x/webhooks/google",
            pushAccount: "a@b.iam.gserviceaccount.com",
            credentials: account,
            levels: [.ok, .ok, .ok]
        ),
        Google(
            testDescription: "another address, a person, no key file",
            audience: "https://y/webhooks/google",
            pushAccount: "me@gmail.com",
            credentials: "{}",
            levels: [.warn, .warn, .fail]
        ),
        Google(testDescription: "nothing", levels: [.fail, .fail, .fail]),
    ]) func judgesGooglesSettings(_ given: Google) {
        var settings = SettingsReader(flags: [:], environment: [:], isDevelopment: false)
        var store = GoogleStore(&settings)
        (store.audience, store.pushAccount) = (given.audience, given.pushAccount)
        store.credentials = given.credentials.map { Secret($0) }
        #expect(store.settingsFindings(url: "https://x").map(\.level) == given.levels)
    }

    @Test func settingsAreListedAndNothingIsShown() throws {
        let folder = TemporaryFolder()
        let environment = [
            "PAYCAST_API_KEY": "hunter2", "PAYCAST_STRIPE_TOLERANCE": "x",
            "PAYCAST_STREAM_KEYS_FILE": folder.write("hunter3\n", to: "keys"),
        ]
        let process = PaycastProgram.start(["doctor"], environment: environment, folder: folder.path)
        #expect(try process.waitForExit() == 1)
        #expect(process.output.contains("FAIL  PAYCAST_STRIPE_TOLERANCE"), "\(process.output)")
        #expect(process.output.contains("FAIL  PAYCAST_API_KEY"))
        #expect(process.output.contains("FAIL  PAYCAST_STREAM_KEYS"))
        #expect(!process.output.contains("hunter"))
    }

    /// In the folder of a running development server nothing has to be said.
    @Test func developmentServerOfTheFolderIsExamined() throws {
        let server = try PaycastServer()
        let environment = ["PAYCAST_PUBLIC": PaycastProgram.root + "/public"]
        let process = PaycastProgram.start(["doctor"], environment: environment, folder: server.folder.path)
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.output)")
        #expect(process.output.contains("ok    mode                  development: .paycast/address here names"))
        let looked = [
            "TLS", "address", "webhook apple", "webhook google", "webhook stripe", "webhook revenuecat",
            "webhook purchasekit", "ready", "API key", "Apple Production", "Apple Sandbox", "Google API", "clock",
        ]
        for what in looked { #expect(process.output.contains("\nok    \(what) "), "\(what): \(process.output)") }
        for level in ["warn", "FAIL"] { #expect(!process.output.contains("\n\(level) "), "\(process.output)") }
    }

    /// A clock that a scenario has moved is no wrong clock.
    @Test func movedClockIsExplained() throws {
        let server = try PaycastServer(environment: ["PAYCAST_DEV_NOW": "2030-01-31T12:00:00Z"])
        let process = server.paycast("doctor")
        #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.output)")
        #expect(process.output.contains("ok    Apple Sandbox"), "\(process.output)")
        #expect(process.output.contains("days ahead of this machine's, as PAYCAST_DEV_NOW"), "\(process.output)")
    }

    struct Visit: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var words: [String]
        /// In the server's folder; else in one where nothing ran.
        var isAtHome = true
        var isRunning = true
        var findings: [String]
    }

    @Test(arguments: [
        Visit(testDescription: "a wrong key", words: ["--key", "x"], findings: ["FAIL  API key .*\\(--key\\)"]),
        Visit(
            testDescription: "from another folder",
            words: ["--dev"],
            isAtHome: false,
            findings: ["warn  API key .*--key", "warn  stores .*run this there"]
        ),
        Visit(
            testDescription: "as if it were in production",
            words: [],
            isAtHome: false,
            findings: ["ok    mode .*production", "warn  development .*--dev", "warn  TLS .*--server"]
        ),
        Visit(
            testDescription: "after its end",
            words: [],
            isRunning: false,
            findings: ["FAIL  address .*.paycast/address names: start “paycast demo”", "warn  server "]
        ),
    ]) func everyLineSaysWhatToDo(_ visit: Visit) throws {
        let server = try PaycastServer()
        let elsewhere = TemporaryFolder()
        let words = ["doctor"] + (visit.isAtHome ? [] : ["--server", server.url]) + visit.words
        if !visit.isRunning { try server.stop() }
        let process = PaycastProgram.start(words, folder: visit.isAtHome ? server.folder.path : elsewhere.path)
        let hasFailed = try process.waitForExit(timeout: .seconds(40)) == 1
        #expect(hasFailed == process.output.contains("\nFAIL  "), "\(process.output)")
        for finding in visit.findings {
            #expect(try process.output.contains(Regex("(?m)^\(finding)")), "\(finding): \(process.output)")
        }
    }

    @Test func withoutAnyServerTheSettingsAreJudged() throws {
        let folder = TemporaryFolder()
        let dead = ReservedPort.unused.url
        let environment = ["PAYCAST_SERVER": dead, "PAYCAST_API_KEY": Self.key]
        let process = PaycastProgram.start(["doctor"], environment: environment, folder: folder.path)
        #expect(try process.waitForExit() == 1)
        #expect(process.output.contains("FAIL  stores                no store is configured"), "\(process.output)")
        #expect(process.output.contains("FAIL  address               nothing answers at \(dead)"), "\(process.output)")
        #expect(!process.output.contains(Self.key))
    }

    @Test func productionServerIsNoDevelopmentServer() throws {
        let server = try PaycastServer([], environment: ["PAYCAST_API_KEY": Self.key])
        let words = ["doctor", "--dev", "--server", server.url, "--key", Self.key, "--json"]
        let process = PaycastProgram.start(words, folder: server.folder.path)
        #expect(try process.waitForExit() == 1)
        #expect(process.output.contains("is not a development server"), "\(process.output)")
        #expect(process.output.contains("the server accepts the key from --key"), "\(process.output)")
    }

    struct Readying: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: AnsweringServer.Answer
        var line: String
        var code: Int32 = 1
    }

    /// As a container's health check asks.
    @Test(arguments: [
        Readying(
            testDescription: "ready, with a warning",
            answer: .init(200, body: #"{"ready":true,"problems":[],"warnings":["a page"]}"#),
            line: "warn  ready                 a page",
            code: 0
        ),
        Readying(
            testDescription: "not ready",
            answer: .init(503, body: #"{"ready":false,"problems":["the disk is full"],"warnings":[]}"#),
            line: "FAIL  ready                 the disk is full"
        ),
        Readying(
            testDescription: "somebody else",
            answer: .init(200, body: "<html>"),
            line: "FAIL  ready                 URL does not say whether it is ready: is that a Paycast server?"
        ),
        Readying(
            testDescription: "no right",
            answer: .init(401, body: "{}"),
            line: "FAIL  ready                 no API key"
        ),
    ]) func readinessAloneIsOneQuestion(_ given: Readying) throws {
        let server = AnsweringServer { _ in given.answer }
        let folder = TemporaryFolder()
        let words = ["doctor", "--ready", "--server", server.url]
        let process = PaycastProgram.start(words, environment: ["PAYCAST_LOOPS": "wrong"], folder: folder.path)
        #expect(try process.waitForExit() == given.code)
        let line = given.line.replacing("URL", with: server.url)
        #expect(process.output.hasPrefix(line), "\(process.output)")
        #expect(server.requests.map(\.path) == ["/ready"])
    }

    @Test func aServerThatIsAwayIsNotReady() throws {
        let words = ["doctor", "--ready", "--server", ReservedPort.unused.url]
        let process = PaycastProgram.start(words)
        #expect(try process.waitForExit() == 1)
        #expect(process.output.hasPrefix("FAIL  ready                 nothing answers at "), "\(process.output)")
    }

    @Test func someoneElsesAddressIsNoticed() throws {
        let body = "<html>"
        let recorder = Recorder("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let folder = TemporaryFolder()
        let words = ["doctor", "--dev", "--server", recorder.url, "--key", Self.key]
        let process = PaycastProgram.start(words, folder: folder.path)
        #expect(try process.waitForExit() == 1)
        #expect(process.output.contains("that is not Paycast"), "\(process.output)")
        #expect(process.output.contains("FAIL  API key"), "\(process.output)")
    }
}
