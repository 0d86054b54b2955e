import Domain
import Stores
import TestSupport
import Testing

@testable import Ledger
@testable import Server

/// What an operator reads of a staging server that does not take what it is forwarded.
@Suite(.blocking) struct ForwarderTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)

    struct Refusal: Sendable, CustomTestStringConvertible {
        var status: Int
        var body = ""
        var hint: String
        var isFinal = false

        var testDescription: String { "\(status) \(body.prefix(40))" }
    }

    @Test(arguments: [
        Refusal(
            status: 503,
            body: #"{"error":"wrong_app","message":"x"}"#,
            hint: "503 wrong_app: it serves another app"
        ),
        Refusal(status: 503, body: #"{"error":"wrong_environment"}"#, hint: "PAYCAST_APPLE_ENVIRONMENTS"),
        Refusal(status: 503, body: #"{"error":"not_configured"}"#, hint: "set its PAYCAST_APPLE_BUNDLE_ID"),
        Refusal(status: 503, body: "<html>busy", hint: "503: its log says why"),
        Refusal(status: 500, body: #"{"error":"token sk_live_1"}"#, hint: "500: its log says why"),
        Refusal(status: 500, body: #"{"error":"\#(String(repeating: "a", count: 5000))"}"#, hint: "500: its log"),
        Refusal(status: 400, body: #"{"error":"untrusted_chain"}"#, hint: "400 untrusted_chain: it does not believe"),
        Refusal(status: 401, hint: "password"), Refusal(status: 403, hint: "password"),
        Refusal(status: 404, hint: "/webhooks/apple"), Refusal(status: 301, hint: "last address"),
        Refusal(status: 413, hint: "256 KiB", isFinal: true),
    ]) func refusalNamesTheServerAndWhatToDo(_ given: Refusal) throws {
        let server = AnsweringServer { _ in .init(given.status, body: given.body) }
        let subject = server.url + "/secret/webhooks/apple?token=secret"
        let error = #expect(throws: StoreAPIError.self) { try Forwarder().post([], to: subject, now: Self.now) }
        let job = Self.job(subject)
        let words = try #require(error).description(of: job)
        #expect(words.hasPrefix("staging server \(server.url): it answered "), "\(words)")
        #expect(words.contains(given.hint), "\(words)")
        for secret in ["secret", "sk_live", "store"] { #expect(!words.contains(secret), "\(words)") }
        let queued = QueuedJob(id: 1, job: job, attempts: 0, queuedAt: Self.now)
        let verdict = RetryDecision(job: queued, now: Self.now, jitter: 1).result(of: try #require(error))
        switch verdict {
        case .abandoned(let reason): #expect(given.isFinal && reason == words)
        case .retry(_, let reason): #expect(!given.isFinal && reason == words)
        case .done, .doneAndKept: Issue.record("\(verdict)")
        }
    }

    @Test func serverThatIsDownIsNamedOnceMore() throws {
        let url = ReservedPort.unused.url
        let error = #expect(throws: StoreAPIError.self) {
            try Forwarder().post([], to: url + "/a?token=secret", now: Self.now)
        }
        let words = try #require(error).description(of: Self.job(url + "/a?token=secret"))
        #expect(words == "staging server \(url): nothing answers at \(url): is the server running there?")
    }

    @Test(arguments: [
        ("https://staging.example/webhooks/apple?token=secret", "https://staging.example"),
        ("http://10.0.0.1:8080", "http://10.0.0.1:8080"), ("https://me:secret@[::1]:8443/x", "https://[::1]:8443"),
        ("https://a@secret@host/x@y", "https://host"), ("https://host?x=@secret", "https://host"),
        ("https://host#secret", "https://host"), ("https://host\\secret@x", "https://host"),
        ("secret", "of PAYCAST_FORWARD"), ("", "of PAYCAST_FORWARD"),
    ]) func originHoldsNoSecret(_ address: String, origin: String) {
        #expect(Self.job(address).origin == origin)
    }

    /// Everybody else is called a store.
    @Test func storeStaysAStore() {
        var job = Self.job("1000000000000001")
        job.kind = .finish
        let error = StoreAPIError.unavailable(reason: "it answered 500")
        #expect(error.description(of: job) == error.description)
    }

    private static func job(_ address: String) -> Job {
        Job(kind: .forward, provider: .apple, environment: .sandbox, app: "com.example", subject: address)
    }
}
