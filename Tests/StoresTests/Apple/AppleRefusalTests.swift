import Crypto
import Domain
import Simulator
import TestSupport
import Testing

@testable import Stores

/// What goes wrong at Apple, said by a real server.
@Suite struct AppleRefusalTests {
    private static let now = AppleFixture.now

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: AnsweringServer.Answer
        var environment = StoreEnvironment.production
        var expected: @Sendable (StoreAPIError) -> Bool
    }

    private static func retryAfter(_ value: String) -> AnsweringServer.Answer {
        .init(
            429,
            body: #"{"errorCode":4290000,"errorMessage":"Rate limit exceeded."}"#,
            headers: [("Retry-After", value)]
        )
    }

    private static func after(_ error: StoreAPIError) -> Instant? {
        guard case .unavailable(_, let after) = error else { return nil }
        return after
    }

    private static func isUnavailable(_ error: StoreAPIError) -> Bool {
        guard case .unavailable(_, nil) = error else { return false }
        return true
    }

    private static func isUnreadable(_ error: StoreAPIError) -> Bool {
        guard case .unreadable = error else { return false }
        return true
    }

    private static func isRefused(_ code: String?) -> @Sendable (StoreAPIError) -> Bool {
        { error in
            guard case .refused(_, code, _) = error else { return false }
            return true
        }
    }

    static let refusals: [Refusal] = [
        Refusal(testDescription: "429, absolute milliseconds", answer: retryAfter("1767225690500")) {
            after($0) == now + .milliseconds(90_500)
        },
        Refusal(testDescription: "429, a proxy's seconds", answer: retryAfter("30")) {
            after($0) == now + .seconds(30)
        },
        Refusal(testDescription: "429, in the past", answer: retryAfter("1767225500000")) { after($0) == now },
        Refusal(testDescription: "429, for ever", answer: retryAfter("9223372036854775807")) {
            after($0) == now + .seconds(3600)
        },
        Refusal(
            testDescription: "429, beyond Int64",
            answer: retryAfter("92233720368547758070"),
            expected: isUnavailable
        ),
        Refusal(testDescription: "429, negative", answer: retryAfter("-5"), expected: isUnavailable),
        Refusal(testDescription: "429, a date", answer: retryAfter("Fri, 01 Jan 2027"), expected: isUnavailable),
        Refusal(testDescription: "401 before the first release", answer: .init(401, body: "Unauthenticated\n")) {
            $0.description.contains("until the app's first release") && $0.description.contains("_KEY_ID")
        },
        Refusal(testDescription: "401 in Sandbox", answer: .init(401), environment: .sandbox) {
            !$0.description.contains("first release") && $0.description.contains("_ISSUER_ID")
        },
        Refusal(testDescription: "403", answer: .init(403)) {
            guard case .unauthorized = $0 else { return false }
            return true
        },
        Refusal(testDescription: "500", answer: .init(500, body: #"{"errorCode":5000000}"#), expected: isUnavailable),
        Refusal(
            testDescription: "500, retryable",
            answer: .init(500, body: #"{"errorCode":5000001}"#),
            expected: isUnavailable
        ),
        Refusal(testDescription: "503 of a proxy", answer: .init(503, body: "<html>busy"), expected: isUnavailable),
        Refusal(
            testDescription: "account, retryable",
            answer: .init(404, body: #"{"errorCode":4040002}"#),
            expected: isUnavailable
        ),
        Refusal(
            testDescription: "app, retryable",
            answer: .init(404, body: #"{"errorCode":4040004}"#),
            expected: isUnavailable
        ),
        Refusal(
            testDescription: "original, retryable",
            answer: .init(404, body: #"{"errorCode":4040006}"#),
            expected: isUnavailable
        ),
        Refusal(testDescription: "no such transaction", answer: .init(404, body: #"{"errorCode":4040010}"#)) {
            $0.isUnknownTransaction && $0.description.contains("other environment")
        },
        Refusal(testDescription: "no such app", answer: .init(404, body: #"{"errorCode":4040003}"#)) {
            !$0.isUnknownTransaction && $0.description.contains("PAYCAST_APPLE_BUNDLE_ID")
        },
        Refusal(
            testDescription: "no id",
            answer: .init(400, body: #"{"errorCode":4000006}"#),
            expected: isRefused("4000006")
        ),
        Refusal(testDescription: "404 without a body", answer: .init(404), expected: isRefused(nil)),
        Refusal(
            testDescription: "a code of tomorrow",
            answer: .init(400, body: #"{"errorCode":4009999,"errorMessage":"New."}"#)
        ) {
            $0.description == "the store answered 400 (4009999): New."
        },
        Refusal(
            testDescription: "message with a line break",
            answer: .init(400, body: #"{"errorCode":1,"errorMessage":"a\nb"}"#)
        ) {
            !$0.description.contains("\n")
        },
        Refusal(
            testDescription: "redirect",
            answer: .init(302, headers: [("Location", "http://127.0.0.1:1/")]),
            expected: isUnreadable
        ),
        Refusal(testDescription: "200, not JSON", answer: .init(200, body: "<html>"), expected: isUnreadable),
        Refusal(testDescription: "200, no list", answer: .init(200, body: #"{"data":{}}"#), expected: isUnreadable),
        Refusal(
            testDescription: "200, nested",
            answer: .init(200, body: String(repeating: "[", count: 100_000)),
            expected: isUnreadable
        ),
        Refusal(
            testDescription: "200, unsigned",
            answer: .init(200, body: #"{"data":[{"lastTransactions":[{"signedTransactionInfo":"a.b.c"}]}]}"#),
            expected: isUnreadable
        ),
        Refusal(
            testDescription: "200, huge",
            answer: .init(200, body: [UInt8](repeating: 32, count: 17 << 20)),
            expected: isUnreadable
        ),
    ]

    @Test(arguments: refusals) func means(_ refusal: Refusal) throws {
        let fixture = try AppleFixture { _ in refusal.answer }
        let error = #expect(throws: StoreAPIError.self) {
            try fixture.api.statuses(of: "2000000000000007", in: refusal.environment, now: Self.now)
        }
        #expect(error.map(refusal.expected) == true, "\(error.map(String.init(describing:)) ?? "")")
    }

    @Test func nobodyAnswers() throws {
        let fixture = try AppleFixture(timeout: .milliseconds(200)) { _ in .silence }
        let error = #expect(throws: StoreAPIError.self) {
            try fixture.api.statuses(of: "2000000000000007", in: .sandbox, now: Self.now)
        }
        #expect(error.map(Self.isUnavailable) == true)
    }

    /// Whoever answers in Apple's place cannot sign in its place.
    @Test func foreignRootIsNotBelieved() throws {
        let foreign = try DevelopmentAuthority.create()
        let fixture = try AppleFixture(roots: TrustedRoots(pem: foreign.root))
        try fixture.say()
        let (api, id) = (fixture.api, "2000000000000007")
        let errors = [
            #expect(throws: StoreAPIError.self) { try api.statuses(of: id, in: .sandbox, now: Self.now) },
            #expect(throws: StoreAPIError.self) { try api.history(of: id, in: .sandbox, now: Self.now) },
        ]
        #expect(errors.allSatisfy { $0?.description.contains("trusted root") == true })
    }

    /// A status of one subscription beside the genuine transaction of another.
    @Test func statusIsNotMoved() throws {
        let fixture = try AppleFixture()
        try fixture.say()
        let genuine = try fixture.standInStatuses().replacing(
            #""originalTransactionId":"2000000000000007""#,
            with: #""originalTransactionId":"2000000000000008""#
        )
        let moved = try AppleFixture { _ in .init(200, body: genuine) }
        let error = #expect(throws: StoreAPIError.self) {
            try moved.api.statuses(of: "2000000000000008", in: .sandbox, now: Self.now)
        }
        #expect(error.map(Self.isUnreadable) == true)
    }

    @Test func otherEnvironmentsAnswerIsNone() throws {
        let fixture = try AppleFixture()
        try fixture.say(in: .sandbox)
        let genuine = try fixture.standInStatuses()
        let crossed = try AppleFixture { _ in .init(200, body: genuine) }
        #expect(throws: StoreAPIError.self) {
            try crossed.api.statuses(of: "2000000000000007", in: .production, now: Self.now)
        }
    }

    @Test(arguments: [#""revision":"same""#, #""other":"x""#])
    func pagesThatNeverEndAreLeft(_ member: String) throws {
        let fixture = try AppleFixture { _ in .init(200, body: #"{"signedTransactions":[],"hasMore":true,\#(member)}"#)
        }
        let error = #expect(throws: StoreAPIError.self) {
            try fixture.api.history(of: "2000000000000007", in: .sandbox, now: Self.now)
        }
        #expect(error.map(Self.isUnreadable) == true)
        #expect(fixture.server.requests.count <= 2)
    }

    @Test func everNewPagesAreBounded() throws {
        let fixture = try AppleFixture { request in
            let number = request.parameter("revision").flatMap { Int($0) } ?? 0
            return .init(200, body: #"{"signedTransactions":[],"hasMore":true,"revision":"\#(number + 1)"}"#)
        }
        #expect(try fixture.api.history(of: "2000000000000007", in: .sandbox, now: Self.now).isEmpty)
        #expect(fixture.server.requests.count == 50)
    }

    @Test func idCannotLeaveItsPath() throws {
        let fixture = try AppleFixture()
        _ = try? fixture.api.statuses(of: "../../x?y#z\r\nA: b", in: .sandbox, now: Self.now)
        let path = "/Sandbox/inApps/v1/subscriptions/..%2F..%2Fx%3Fy%23z%0D%0AA%3A%20b"
        #expect(fixture.server.requests.map(\.path) == [path])
    }
}

extension AppleFixture {
    /// The stand-in's answer, as it comes over the wire.
    func standInStatuses() throws -> String {
        _ = try api.statuses(of: "2000000000000007", in: .sandbox, now: AppleFixture.now)
        let request = server.requests[0]
        return String(decoding: standIn.serve(request).body, as: UTF8.self)
    }
}
