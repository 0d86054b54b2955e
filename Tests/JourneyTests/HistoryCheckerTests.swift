import Testing

@Suite struct HistoryCheckerTests {
    typealias Frame = HistoryChecker.Frame

    /// Pages are not sent the last one.
    private static let log = ["a", "b", "c", "hidden"].enumerated().map { number, event in
        HistoryChecker.Entry(cursor: "e-\(number + 1)", event: event, isShown: event != "hidden")
    }

    struct PageCase: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var frames: [Frame]
        var since: String?
        var kind = HistoryChecker.Page.Kind.everything
        var isCurrent = true
        var violation: HistoryChecker.Violation?
    }

    private static let (a, b, c) = (frame("e-1", "a"), frame("e-2", "b"), frame("e-3", "c"))

    private static func frame(_ cursor: String, _ events: String...) -> Frame {
        Frame(cursor: cursor, events: events)
    }

    @Test(arguments: [
        PageCase(testDescription: "everything", frames: [a, b, c]),
        PageCase(testDescription: "together", frames: [a, frame("e-3", "b", "c")]),
        PageCase(testDescription: "together, through the log's end", frames: [a, frame("e-4", "b", "c")]),
        PageCase(testDescription: "from a cursor", frames: [b, c], since: "e-1"),
        PageCase(testDescription: "a prefix", frames: [a, b], isCurrent: false),
        PageCase(testDescription: "nothing yet", frames: [], isCurrent: false),
        PageCase(testDescription: "the end is missing", frames: [a, b], violation: .notCurrent(page: "p")),
        PageCase(testDescription: "nothing at all", frames: [], violation: .notCurrent(page: "p")),
        PageCase(testDescription: "a hole", frames: [a, c], violation: .hole(before: "c", page: "p")),
        PageCase(testDescription: "no beginning", frames: [b, c], violation: .hole(before: "b", page: "p")),
        PageCase(testDescription: "again", frames: [a, b, b, c], violation: .repeated(event: "b", page: "p")),
        PageCase(
            testDescription: "what it had",
            frames: [a, b, c],
            since: "e-1",
            violation: .backwards(event: "a", page: "p")
        ),
        PageCase(
            testDescription: "never committed",
            frames: [a, frame("e-9", "x")],
            violation: .phantom(event: "x", page: "p")
        ),
        PageCase(
            testDescription: "a cursor that is ahead",
            frames: [frame("e-3", "a"), b, c],
            violation: .wrongCursor("e-3", page: "p")
        ),
        PageCase(testDescription: "only the newest", frames: [c], kind: .newest),
        PageCase(testDescription: "some of them", frames: [a, c], kind: .newest),
        PageCase(
            testDescription: "older after newer",
            frames: [frame("e-2", "b"), a, c],
            kind: .newest,
            violation: .backwards(event: "a", page: "p")
        ),
        PageCase(
            testDescription: "not the newest",
            frames: [a, b],
            kind: .newest,
            violation: .notCurrent(page: "p")
        ),
    ]) func pages(_ given: PageCase) {
        var page = HistoryChecker.Page(name: "p", since: given.since, kind: given.kind, frames: given.frames)
        page.isCurrent = given.isCurrent
        let found = HistoryChecker(log: HistoryCheckerTests.log, pages: [page]).violations
        #expect(given.violation.map { found.contains($0) } ?? found.isEmpty, "\(found)")
    }

    struct AnswerCase: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var event: String
        var status: Int?
        var cursor: String?
        var violations: [HistoryChecker.Violation] = []
    }

    @Test(arguments: [
        AnswerCase(testDescription: "is in", event: "a", status: 200, cursor: "e-1"),
        AnswerCase(testDescription: "is in, without a cursor", event: "a", status: 202),
        AnswerCase(testDescription: "refused", event: "x", status: 503),
        AnswerCase(testDescription: "refused, and in", event: "b", status: 503),
        AnswerCase(testDescription: "no answer", event: "x"),
        AnswerCase(testDescription: "no answer, and in", event: "c"),
        AnswerCase(testDescription: "lost", event: "x", status: 200, violations: [.missing(event: "x")]),
        AnswerCase(
            testDescription: "lost, and its position given again",
            event: "x",
            status: 200,
            cursor: "e-3",
            violations: [.missing(event: "x"), .twoEvents(cursor: "e-3")]
        ),
        AnswerCase(
            testDescription: "elsewhere",
            event: "b",
            status: 200,
            cursor: "e-9",
            violations: [.answeredElsewhere(event: "b", cursor: "e-9")]
        ),
    ]) func answers(_ given: AnswerCase) {
        let answer = HistoryChecker.Answer(event: given.event, status: given.status, cursor: given.cursor)
        #expect(HistoryChecker(log: HistoryCheckerTests.log, answers: [answer]).violations == given.violations)
    }

    @Test func nothingIsCommittedTwice() {
        let again = HistoryChecker.Entry(cursor: "e-5", event: "b")
        let found = HistoryChecker(log: HistoryCheckerTests.log + [again]).violations
        #expect(found == [.committedTwice(event: "b")])
    }

    /// Two pages that were told different things under one cursor, neither of which the log explains.
    @Test func aCursorNamesOneEvent() {
        let pages = ["x", "y"].map { event in
            HistoryChecker.Page(name: event, frames: [HistoryCheckerTests.frame("e-5", event)])
        }
        let found = HistoryChecker(log: HistoryCheckerTests.log, pages: pages).violations
        #expect(found.contains(.twoEvents(cursor: "e-5")), "\(found)")
    }
}
