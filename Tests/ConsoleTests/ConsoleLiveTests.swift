import APIModel
import Domain
import HTTP
import Pages
import Support
import TestSupport
import Testing

@testable import API
@testable import Console

/// The live list: its filters, and what its pages are handed.
@Suite(.blocking) struct ConsoleLiveTests {
    struct Filter: Sendable, CustomTestStringConvertible {
        var query: String
        var named: String?
        var testDescription: String { query }
    }

    @Test(arguments: [
        Filter(query: "provider=apple&outcome=applied&environment=Sandbox"), Filter(query: "provider=&outcome="),
        Filter(query: "user=a%2Fb&type=DID_RENEW"), Filter(query: "provider=appel", named: "appel"),
        Filter(query: "outcome=fine", named: "fine"), Filter(query: "environment=sandbox", named: "sandbox"),
        Filter(query: "user=a%0Ab", named: "A user has"), Filter(query: "product=%07", named: "A product has"),
        Filter(query: "provider=%3Cb%3E", named: "&lt;b&gt;"),
    ])
    func anUnknownValueIsNamed(_ given: Filter) throws {
        let site = ConsoleTestSite(keys: [ConsoleEventTests.operations])
        let cookie = try site.logIn(ConsoleEventTests.operations)
        site.api.answer(
            .events,
            with: EventsAnswer(events: [], next: nil, since: "e0000000-5")
        )
        let page = try site.send("/console/live?\(given.query)", cookie: cookie)
        #expect(page.status == (given.named == nil ? 200 : 422))
        if let named = given.named { #expect(page.text.contains(named), "\(page.text)") }
        #expect(page.text.contains("turbo-stream-source") == (given.named == nil))
    }

    struct Nothing: Sendable, CustomTestStringConvertible {
        var query: String
        var isWhole = true
        var says: String
        var testDescription: String { query }
    }

    @Test(arguments: [
        Nothing(query: "", says: "No such event has ever come."),
        Nothing(query: "provider=apple", isWhole: false, says: "No such event is among the 20,000 that"),
        Nothing(query: "product=prooo", says: "No event of the product “prooo” has ever come. A name is taken whole"),
        Nothing(query: "product=p&user=7", says: "No event of the product “p” and the user “7”"),
    ])
    func anEmptyListSaysWhy(_ given: Nothing) throws {
        let site = ConsoleTestSite(keys: [ConsoleEventTests.operations])
        let cookie = try site.logIn(ConsoleEventTests.operations)
        let cursor = "e0000000-5"
        site.api.answer(.events, with: EventsAnswer(events: [], next: given.isWhole ? nil : cursor, since: cursor))
        let page = try site.send("/console/live?\(given.query)", cookie: cookie).text
        #expect(page.contains(given.says) && page.contains(#"id="live-rows""#), "\(page)")
    }

    @Test func theListIsThereWithoutAScript() throws {
        let site = ConsoleTestSite(keys: [ConsoleEventTests.operations])
        let cookie = try site.logIn(ConsoleEventTests.operations)
        let newest = EventsAnswer(
            events: [ConsoleEventTests.item("x")],
            next: "e0000000-7",
            since: "e0000000-7"
        )
        site.api.answer(.events, with: newest)
        let page = try site.send("/console/live?provider=apple", cookie: cookie).text
        for part in [
            "12:04:00 UTC", #"id="event-e0000000-7""#,
            #"src="/console/live/stream?provider=apple&amp;since=e0000000-7""#,
            #"href="/console/live?provider=apple&amp;before=e0000000-7""#, #"<option value="apple" selected>Apple<"#,
            #"<option value="stale">out of date<"#, "Apple, Production",
        ] {
            #expect(page.contains(part), "\(part): \(page)")
        }
        // Older ones stand still.
        #expect(try !site.send("/console/live?before=e0000000-7", cookie: cookie).text.contains("turbo-stream-source"))
    }

    /// The API of a ledger to which a test adds events.
    private final class Ledger: RequestHandler {
        let events = Monitor<[FeedItem]>([])
        let isRefusing = SharedValue(false)

        func handle(_ request: Request) -> Answer {
            guard !isRefusing.value else { return .respond(Response.error(401, code: "unauthorized", message: "No.")) }
            let since = request.query["since"].flatMap { Cursor($0) }?.position ?? 0
            let before = request.query["before"].flatMap { Cursor($0) }?.position ?? .max
            let all = events.withLock { $0 }
            let found = all.reversed().filter { (since + 1..<before).contains(Cursor($0.cursor)?.position ?? 0) }
            let head = all.last?.cursor ?? "e0000000-0"
            let next = found.count > 100 ? found[99].cursor : nil
            return .respond(
                JSON.response(200, body: EventsAnswer(events: Array(found.prefix(100)), next: next, since: head))
            )
        }

        func subscribe(_ parameters: CableParameters, history: CableHistory?) -> CableVerdict { .rejected }
    }

    private struct Open {
        let ledger = Ledger()
        let handed = Monitor<[Message]>([])
        let isFollowed = SharedValue(true)
        let keys = SharedValue([ConsoleEventTests.operations])
        let hasEnded = SharedValue(false)
        let lists: LiveLists
        let api: ConsoleAPI

        init() throws {
            let (handed, isFollowed, keys, hasEnded) = (handed, isFollowed, keys, hasEnded)
            var settings = ConsoleSettings(
                keys: { keys.value },
                now: Clock().now,
                spend: { _ in true },
                isSpent: { _ in false }
            )
            settings.isSecure = true
            settings.publish = { messages in handed.change { $0 += messages } }
            settings.isFollowed = { _ in isFollowed.value }
            lists = LiveLists(settings, try ConsoleTemplates(files: Assets.console)) { _ in hasEnded.value }
            let token = ConsoleToken(keyName: "ops", expiry: Clock().now() + .seconds(60), user: nil)
            let session = ConsoleSession(token: token, key: ConsoleEventTests.operations)
            api = ConsoleAPI(handler: ledger, session: session)
        }

        func add(_ range: ClosedRange<Int64>, outcome: Outcome = .applied, user: UserID? = "42") {
            ledger.events.change { events in
                events += range.map { ConsoleEventTests.item("e\($0)", position: $0, outcome: outcome, user: user) }
            }
        }

        /// What the pages were handed, once it has `text` in it.
        func handed(with text: String) throws -> String {
            try #require(
                handed.wait(timeout: .seconds(20)) { messages in
                    let all = messages.map { String(decoding: $0.html, as: UTF8.self) }.joined()
                    return all.contains(text) ? all : nil
                },
                "never handed: \(text)"
            )
        }
    }

    private static let all: LiveFilter = LiveFilter(Query())

    @Test func whatIsNewIsHandedOnceForAll() throws {
        let open = try Open()
        defer { open.lists.close() }
        open.add(1...2)
        for _ in 0..<10 { _ = open.lists.open(Self.all, since: "e0000000-2", by: open.api) }
        open.add(3...5)
        let html = try open.handed(with: "event-e0000000-5")
        #expect(!html.contains("event-e0000000-2") && html.contains(#"data-cursor="e0000000-5""#))
        let order = (3...5).compactMap { html.firstRange(of: "event-e0000000-\($0)\"") }
        #expect(order.count == 3)
        #expect(
            open.handed.withLock { $0 }.allSatisfy { $0.position == nil && $0.stream == Self.all.stream(generation: 0) }
        )
    }

    @Test func aBurstIsCounted() throws {
        let open = try Open()
        defer { open.lists.close() }
        _ = open.lists.open(Self.all, since: "e0000000-0", by: open.api)
        open.add(1...21)
        let html = try open.handed(with: "live-more")
        #expect(html.contains("21 events came too fast") && !html.contains("prepend"))
        open.add(22...200)
        #expect(try open.handed(with: "121+ events").contains(#"data-cursor="e0000000-200""#))
        // Afterwards, they are rows again.
        open.add(201...201)
        #expect(try open.handed(with: "event-e0000000-201").contains("prepend"))
    }

    @Test func aClaimChangesTheRowOfWhatNobodyHad() throws {
        let open = try Open()
        defer { open.lists.close() }
        _ = open.lists.open(Self.all, since: "e0000000-0", by: open.api)
        open.add(1...1, outcome: .unclaimed, user: nil)
        let mark = try #require(ConsoleEventTests.item("e1").mark)
        #expect(try open.handed(with: "event-e0000000-1").contains("chip warn \(mark)"))
        open.add(2...2)
        #expect(try open.handed(with: "claimed since").contains(#"action="replace" targets=".\#(mark)""#))
    }

    struct End: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (LiveLists, SharedValue<[AccessKey]>) -> Void
    }

    /// Whoever stays on the old stream is told to reload, and nothing after that.
    @Test(arguments: [
        End(testDescription: "a log-out, or an erasure") { lists, _ in lists.restart() },
        End(testDescription: "another key is gone") { _, keys in keys.replace(with: [ConsoleTestSite.support]) },
    ])
    func anEndedListHasNoNewRow(_ end: End) throws {
        let open = try Open()
        defer { open.lists.close() }
        let old = open.lists.open(Self.all, since: "e0000000-0", by: open.api)
        open.add(1...1)
        _ = try open.handed(with: "event-e0000000-1")
        end.make(open.lists, open.keys)
        _ = try open.handed(with: #"action="refresh""#)
        let new = open.lists.open(Self.all, since: "e0000000-1", by: open.api)
        open.add(2...2)
        _ = try open.handed(with: "event-e0000000-2")
        let rows = open.handed.withLock { $0 }.filter { !$0.parts.contains(.refresh) }
        #expect(rows.map(\.stream) == [old, new] && old != new)
    }

    /// Whoever follows has to log in again once the key is gone.
    @Test func aRemovedKeyEndsTheList() throws {
        let open = try Open()
        defer { open.lists.close() }
        _ = open.lists.open(Self.all, since: "e0000000-0", by: open.api)
        open.ledger.isRefusing.replace(with: true)
        _ = try open.handed(with: #"action="refresh""#)
    }

    /// The ledger alone tells of it here.
    @Test func aLogOutAtAnotherNodeEndsTheList() throws {
        let open = try Open()
        defer { open.lists.close() }
        _ = open.lists.open(Self.all, since: "e0000000-0", by: open.api)
        open.hasEnded.replace(with: true)
        _ = try open.handed(with: #"action="refresh""#)
    }

    @Test func aPageThatComesBackReadsWhatItMissed() throws {
        let open = try Open()
        defer { open.lists.close() }
        open.add(1...300)
        let stream = open.lists.open(Self.all, since: "e0000000-300", by: open.api)
        let missed = try open.lists.missed(Self.all, on: stream, since: "e0000000-298", by: open.api)
        #expect(missed.through == 300 && missed.messages.map(\.position) == [300])
        let html = String(decoding: missed.messages[0].html, as: UTF8.self)
        #expect(html.contains("event-e0000000-299") && html.contains("event-e0000000-300"))
        #expect(try open.lists.missed(Self.all, on: stream, since: "e0000000-300", by: open.api).messages.isEmpty)
        // The newest hundred, and how many there were besides.
        let long = try open.lists.missed(Self.all, on: stream, since: "e0000000-50", by: open.api)
        let text = String(decoding: long.messages[0].html, as: UTF8.self)
        #expect(text.contains("event-e0000000-201\"") && !text.contains("event-e0000000-200\""))
        #expect(text.contains("150 more came meanwhile.") && text.contains("?before=e0000000-201\">List them"))
        open.add(301...1600)
        let longest = try open.lists.missed(Self.all, on: stream, since: "e0000000-0", by: open.api)
        #expect(String(decoding: longest.messages[0].html, as: UTF8.self).contains("1,000+ more came"))
    }
}
