import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Old bodies and fragments are emptied, and what depends on them goes on.
@Suite struct RetentionTests {
    private static let day = Duration.seconds(86_400)
    private static let start = TemporaryLedger.start

    @Test func bodiesGoAndPositionsStay() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for number in 0..<120 { _ = try ledger.send(RetentionTests.event("old-\(number)", minute: Int64(number))) }
        let before = try ledger.entries()
        try ledger.setClock(to: RetentionTests.start + RetentionTests.day * 40)
        _ = try ledger.send(RetentionTests.event("new", minute: 40 * 1440))
        try ledger.emptyOld(before: RetentionTests.start + RetentionTests.day * 10)
        let events = try ledger.events(EventSelection())
        #expect(events.count == 121 && events.dropLast().allSatisfy { $0.body.isEmpty })
        #expect(events.last?.body.isEmpty == false)
        let after = try ledger.entries()
        #expect(after.entries.prefix(120).map(\.notice) == before.entries.prefix(120).map(\.notice))
        #expect(after.entries.map(\.position).starts(with: before.entries.map(\.position)))
        #expect(try ledger.send(RetentionTests.event("old-7", minute: 7)).outcome == .duplicate)
    }

    /// A body that a staging server is still to get is kept until it has it.
    @Test func whatIsToBeForwardedIsKept() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var event = RetentionTests.event("e1", minute: 0)
        event.jobs = [
            Job(
                kind: .forward,
                provider: .apple,
                environment: .production,
                app: "com.example",
                subject: "https://staging.example.com"
            )
        ]
        _ = try ledger.send(event)
        _ = try ledger.send(RetentionTests.event("e2", minute: 1))
        let end = RetentionTests.start + RetentionTests.day
        try ledger.emptyOld(before: end)
        let kept = try ledger.events(EventSelection())
        #expect(kept.map(\.body.isEmpty) == [false, true])
        let job = try #require(try ledger.jobs(dueAt: RetentionTests.start + RetentionTests.day).first)
        #expect(job.body == event.body)
        try ledger.end(job, with: .done)
        try ledger.emptyOld(before: end)
        #expect(try ledger.events(EventSelection()).map(\.body.isEmpty) == [true, true])
    }

    /// What a page gets afterwards.
    struct Page: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What was committed, in order; a page saw the first.
        var fragments: [Fragment]
        /// How many of them are old.
        var old: Int
        /// The actions that a page with a cursor from the beginning gets, and one that saw everything old.
        var fromTheStart: [String]
        var afterTheOld: [String]
    }

    private static let stream = StreamName("user:42:paywall") ?? .feed("none")

    private static func replace(_ html: String) -> Fragment {
        Fragment(stream: stream, action: "replace", target: "notice", content: .html(html))
    }

    private static func append(_ html: String) -> Fragment {
        Fragment(stream: stream, action: "append", target: "list", content: .html(html))
    }

    private static func state(_ name: String) -> Fragment {
        Fragment(
            stream: stream,
            action: "replace",
            target: "paywall",
            content: .template(name: name, values: [:])
        )
    }

    static let pages = [
        Page(
            testDescription: "the state stays",
            fragments: [state("pending"), state("success")],
            old: 2,
            fromTheStart: ["replace"],
            afterTheOld: []
        ),
        Page(
            testDescription: "a state that a newer one replaced goes",
            fragments: [state("pending"), state("success")],
            old: 1,
            fromTheStart: ["replace"],
            afterTheOld: ["replace"]
        ),
        Page(
            testDescription: "markup becomes a refresh",
            fragments: [replace("a"), replace("b")],
            old: 2,
            fromTheStart: ["refresh"],
            afterTheOld: []
        ),
        Page(
            testDescription: "markup that was replaced since goes",
            fragments: [replace("a"), replace("b")],
            old: 1,
            fromTheStart: ["replace"],
            afterTheOld: ["replace"]
        ),
        Page(
            testDescription: "what was appended becomes one refresh",
            fragments: [append("a"), append("b"), append("c")],
            old: 2,
            fromTheStart: ["refresh", "append"],
            afterTheOld: ["append"]
        ),
    ]

    @Test(arguments: pages)
    func pagesAreHealed(_ page: Page) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let first = try ledger.missed("42").through
        var seen = first
        for (index, fragment) in page.fragments.enumerated() {
            if index == page.old { ledger.clock.set(to: RetentionTests.start + RetentionTests.day * 20) }
            let cursors = try ledger.broadcast([fragment])
            if index < page.old { seen = try #require(cursors.last) }
        }
        try ledger.emptyOld(before: RetentionTests.start + RetentionTests.day * 10)
        let missed = try ledger.missed("42", since: first)
        #expect(missed.items.flatMap(\.fragments).map(\.action) == page.fromTheStart)
        #expect(try ledger.missed("42", since: seen).items.flatMap(\.fragments).map(\.action) == page.afterTheOld)
        #expect(!missed.isUnknownCursor)
    }

    /// A contract keeps what its emptied events said.
    @Test func rebuildsKeepWhatIsKnown() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: RetentionTests.token))
        _ = try ledger.send(RetentionTests.event("e1", minute: 0, token: RetentionTests.token))
        try ledger.emptyOld(before: RetentionTests.start + RetentionTests.day)
        var rebuild = try #require(try ledger.contract(1))
        rebuild.miss()
        let report = try ledger.replay(ReplayBatch(rebuilds: [rebuild]))
        #expect(report.changes.allSatisfy { !$0.changesSomething } && report.outdated.isEmpty)
        #expect(try ledger.entitlements("42").isActive)
    }

    private static let token = OrderToken.random()

    private static func event(_ id: String, minute: Int64, token: OrderToken? = nil) -> Event {
        Fixture.subscription(id, state: .active, minute: minute, until: .seconds(90 * 86_400), token: token)
    }
}

extension TemporaryLedger {
    func emptyOld(before instant: Instant) throws {
        while true {
            let answer = Promise<Result<Bool, LedgerError>>()
            guard writer.submit(.emptyOld(before: instant, completion: answer.fulfil)) else { throw LedgerError.busy }
            if try answer.wait().get() { return }
        }
    }
}
