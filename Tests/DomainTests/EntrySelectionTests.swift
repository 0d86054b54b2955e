import Testing

@testable import Domain

/// The live feed shows what the ledger would find.
@Suite struct EntrySelectionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        let selection: EntrySelection
        let isAdmitted: Bool
    }

    @Test(arguments: [
        Case(testDescription: "all", selection: .all, isAdmitted: true),
        Case(testDescription: "a user", selection: EntrySelection(user: "42"), isAdmitted: true),
        Case(testDescription: "another user", selection: EntrySelection(user: "43"), isAdmitted: false),
        Case(testDescription: "a store", selection: EntrySelection(provider: "apple"), isAdmitted: true),
        Case(testDescription: "another store", selection: EntrySelection(provider: "google"), isAdmitted: false),
        Case(testDescription: "a product", selection: EntrySelection(product: "caf\u{E9}"), isAdmitted: true),
        Case(testDescription: "another form", selection: EntrySelection(product: "cafe\u{301}"), isAdmitted: false),
        Case(testDescription: "an outcome", selection: EntrySelection(outcome: "applied"), isAdmitted: true),
        Case(testDescription: "what it lacks", selection: EntrySelection(type: "DID_RENEW"), isAdmitted: false),
    ]) func admits(_ given: Case) {
        var notice = Notice(kind: .subscriptionStarted)
        (notice.provider, notice.user, notice.outcome) = (.apple, "42", .applied)
        notice.product = "caf\u{E9}"
        #expect(given.selection.admits(notice) == given.isAdmitted)
    }
}
