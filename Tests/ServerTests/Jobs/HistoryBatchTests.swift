import Domain
import TestSupport
import Testing

@testable import Server
@testable import Stores

@Suite struct HistoryBatchTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var refusals: [VerificationError]
        var isProven = false
        /// What the operator is told to look at; nil: nothing.
        var suspect: String?
    }

    @Test(arguments: [
        Case(testDescription: "nothing was said", refusals: []),
        Case(testDescription: "another app id", refusals: [.wrongApp], suspect: "PAYCAST_APPLE_APP_ID"),
        Case(testDescription: "another environment", refusals: [.wrongEnvironment], suspect: "ENVIRONMENTS"),
        Case(testDescription: "no app", refusals: [.notConfigured], suspect: "PAYCAST_APPLE_BUNDLE_ID"),
        Case(testDescription: "other roots", refusals: [.untrusted(.untrustedChain)], suspect: "PAYCAST_APPLE_ROOTS"),
        Case(testDescription: "one odd entry", refusals: [.wrongApp], isProven: true),
        Case(testDescription: "no setting cures it", refusals: [.malformed(.invalidPayload)]),
        Case(
            testDescription: "the first that a setting cures is named",
            refusals: [.malformed(.invalidPayload), .wrongApp, .wrongEnvironment],
            suspect: "wrong_app"
        ),
    ]) func tellsWrongSettingsFromOddEntries(_ given: Case) throws {
        let list = try AppleFixture().api.history(of: "com.example", in: .production)
        var batch = HistoryBatch()
        for refusal in given.refusals {
            #expect(try batch.failed(.refused(refusal), hint: list.hint(.refused(refusal))))
        }
        if given.isProven { batch.read() }
        let problem = batch.problem
        #expect((problem != nil) == (given.suspect != nil))
        #expect(problem == nil || problem?.hasPrefix("Production, com.example: ") == true)
        if let suspect = given.suspect { #expect(problem?.contains(suspect) == true, "\(problem ?? "none")") }
    }

    @Test func enoughIsEnoughUnlessSomethingIsGenuine() throws {
        var batch = HistoryBatch()
        for _ in 1..<HistoryBatch.refusedPatience { _ = try batch.failed(.refused(.wrongApp), hint: "set it right") }
        #expect(!batch.isHopeless)
        _ = try batch.failed(.refused(.wrongApp), hint: "set it right")
        #expect(batch.isHopeless)
        batch.read()
        #expect(!batch.isHopeless)
    }
}
