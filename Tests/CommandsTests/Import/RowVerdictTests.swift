import APIModel
import Stores
import Testing

@testable import Commands

/// What answers of a server mean for a row.
@Suite struct RowVerdictTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status: Int
        var error: ErrorAnswer?
        var retryAfter: String?
        var verdict: RowVerdict
    }

    private static func silence(_ silence: VerificationError.Silence) -> ErrorAnswer {
        let error = VerificationError.storeUnreachable(silence)
        return ErrorAnswer(error: error.code, message: error.message)
    }

    private static func waits(_ name: VerificationError.Silence, _ extent: RowVerdict.Extent) -> Case {
        let error = silence(name)
        return Case(
            testDescription: "the store \(name.rawValue)",
            status: 503,
            error: error,
            retryAfter: "30",
            verdict: .wait(error.message, seconds: 30, extent)
        )
    }

    static let cases = [
        waits(.noAnswer, .store), waits(.refusedKey, .store), waits(.refusedQuestion, .row), waits(.unreadable, .row),
        waits(.notYetKnown, .row),
        Case(
            testDescription: "a store of tomorrow",
            status: 503,
            error: .init(error: "store_unreachable", message: "It sleeps."),
            verdict: .wait("It sleeps.", seconds: nil, .store)
        ),
        Case(
            testDescription: "a busy server",
            status: 503,
            error: .init(error: "busy", message: "Later."),
            retryAfter: "0",
            verdict: .wait("Later.", seconds: 1, .server)
        ),
        Case(
            testDescription: "a proxy without its server",
            status: 502,
            retryAfter: "86400",
            verdict: .wait("the server answers 502", seconds: 3600, .server)
        ),
        Case(
            testDescription: "a row that is too long",
            status: 413,
            error: .init(error: "body_too_large", message: "Too long."),
            verdict: .settled(.unread("Too long."))
        ),
        Case(
            testDescription: "too long for a proxy",
            status: 413,
            verdict: .settled(.unread("the server answers 413: it is too long"))
        ),
        Case(
            testDescription: "another user's",
            status: 409,
            error: .init(error: "owned_by_other", message: ""),
            verdict: .settled(.anotherUsers)
        ),
        Case(
            testDescription: "unknown",
            status: 400,
            error: .init(error: "unknown_purchase", message: ""),
            verdict: .settled(.unknown)
        ),
        Case(
            testDescription: "another app's",
            status: 503,
            error: .init(error: "wrong_app", message: "Not here."),
            verdict: .settled(.refused("Not here."))
        ),
        Case(
            testDescription: "no such store here",
            status: 503,
            error: .init(error: "not_configured", message: ""),
            verdict: .stop
        ),
        Case(testDescription: "another key", status: 401, verdict: .stop),
        Case(testDescription: "no Paycast", status: 404, verdict: .stop),
    ]

    @Test(arguments: cases) func means(_ example: Case) {
        let verdict = RowVerdict(
            status: example.status,
            retryAfter: example.retryAfter,
            body: example.error?.json ?? Array("<html>".utf8)
        )
        #expect(verdict == example.verdict)
    }
}
