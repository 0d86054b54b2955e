import APIModel
import HTTP
import Pages
import Support
import TestSupport
import Testing

@testable import API
@testable import Console
@testable import Domain

/// The page of an event, the search, what needs somebody, and the overview.
@Suite(.blocking) struct ConsoleEventTests {
    static let operations = AccessKey(
        name: "ops",
        rights: [.read, .operate, .personal],
        secret: Secret("aaaabbbbccccddddaaaabbbbccccdddd")
    )

    /// As the API tells of it.
    static func item(_ id: String, position: Int64 = 7, outcome: Outcome = .applied, user: UserID? = "42") -> FeedItem {
        var notice = Notice(kind: .subscriptionRenewed)
        notice.provider = .apple
        notice.environment = .production
        notice.type = "DID_RENEW"
        notice.event = id
        notice.outcome = outcome
        notice.user = user
        notice.contract = "c1"
        notice.state = .active
        notice.previousState = .inGracePeriod
        notice.entitlements = [EntitlementSummary(.standard, isActive: true)]
        notice.accessUntil = Instant(iso8601: "2026-01-03T12:00:00Z")
        let at = Instant(iso8601: "2025-12-03T12:04:00.000Z") ?? Instant(milliseconds: 0)
        return FeedItem(Entry(position: position, committedAt: at, notice: notice, fragments: []), epoch: "e0000000")
    }

    private func answer(_ item: FeedItem, newer: FeedItem? = nil) -> EventAnswer {
        let way = EventWay(
            verified: 400,
            committed: 1400,
            rendered: 1500,
            firstPage: 1600,
            lastPage: 2100,
            pages: 3,
            duplicates: 1
        )
        return EventAnswer(event: item, newer: newer, statement: nil, way: way)
    }

    @Test func anEventTellsItsStory() throws {
        let site = ConsoleTestSite(keys: [Self.operations])
        let cookie = try site.logIn(Self.operations)
        site.api.answer(.event(id: "a/b"), with: answer(Self.item("a/b")))
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: [], next: nil))
        let page = try site.send("/console/events/a%2Fb", cookie: cookie)
        #expect(page.status == 200, "\(page.text)")
        for part in [
            "The contract changed from “grace period” to “active”, until 3 January 2026.", "1.4 ms", "of 3 pages",
            "3 December 2025, 12:04:00.000 UTC",
            "The store has sent it once more since.", #"href="/console/users/42""#, "2025-12-03T12:04:00.000Z",
            "<h1>Renewed</h1>", "<code>DID_RENEW</code>", "<code>in_grace_period</code>", "Apple, Production",
            "<dt>Original transaction</dt><dd><bdi>c1</bdi></dd>",
        ] {
            #expect(page.text.contains(part), "\(part): \(page.text)")
        }
    }

    /// The messages that the event has caused, of those to each address.
    @Test func itsWayEndsAtTheBackend() throws {
        let site = ConsoleTestSite(keys: [Self.operations])
        let cookie = try site.logIn(Self.operations)
        var item = Self.item("x")
        item.receivedAt = "2025-12-03T12:04:00.000Z"
        let start = try #require(Instant(iso8601: "2025-12-03T12:04:00.000Z"))
        site.api.answer(.event(id: "x"), with: answer(item))
        let end = start + .milliseconds(340)
        let told: [(url: String, state: String, position: Int64, end: Instant?)] = [
            ("https://a.example", "delivered", 7, end), ("https://b.example", "waiting", 7, nil),
            ("https://c.example", "delivered", 9, start),
        ]
        let deliveries = told.enumerated().map { number, one in
            HookDeliveriesAnswer.Delivery(
                id: String(number),
                message: "m",
                url: one.url,
                user: "42",
                type: HookType.entitlementsChanged.rawValue,
                state: one.state,
                attempts: 1,
                cursor: Cursor(epoch: "e0000000", position: one.position).description,
                superseded: 0,
                queuedAt: start.iso8601,
                dueAt: nil,
                endedAt: one.end?.iso8601,
                reason: nil
            )
        }
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: deliveries, next: nil))
        let text = try site.send("/console/events/x", cookie: cookie).text
        for part in [
            "Told the backend: https://a.example", "340.0 ms", "https://b.example is still to be told",
            "what the user may use has changed</bdi> <code>entitlements.changed",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        #expect(!text.contains("Told the backend: https://c.example"))
    }

    /// What the event says stands beside what its order was made for.
    @Test func aContradictionHasTwoSides() throws {
        let site = ConsoleTestSite(keys: [Self.operations])
        let cookie = try site.logIn(Self.operations)
        let token = try #require(OrderToken("a5af9b36-0e4d-4665-8351-0e4003752165"))
        var item = Self.item("x", outcome: .quarantined, user: nil)
        (item.order, item.product) = (token.description, "pro.monthly")
        let key = ContractKey(provider: .apple, environment: .production, app: "com.example", lineage: "c1")
        let observation = Observation(contract: key, kind: .subscription, user: "ana")
        let event = EventAnswer(event: item, newer: nil, statement: StatementItem(observation), way: nil)
        site.api.answer(.event(id: "x"), with: event)
        var order = Order(token: token, user: "ben", product: "pro.annual")
        order.provider = .google
        site.api.answer(
            .order(token: token.description),
            with: ConsoleFixture.order(order, createdAt: Instant(milliseconds: 0))
        )
        site.api.answer(
            .search,
            with: SearchAnswer(query: "c1", found: [.init(kind: "contract", id: "c1", user: "cem")])
        )
        let text = try site.send("/console/events/x", cookie: cookie).text
        for part in [
            "<td><bdi>ana</bdi></td><td><bdi>ben</bdi></td>", "<td><bdi>not said</bdi></td><td><bdi>cem</bdi></td>",
            "Store <span class=\"chip stop\">contradicts</span></th><td><bdi>Apple</bdi></td><td><bdi>Google</bdi>",
            "<td><bdi>pro.monthly</bdi></td><td><bdi>pro.annual</bdi></td>", "contradicts its order",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
    }

    @Test func aStaleEventLeadsToTheNewerOne() throws {
        let site = ConsoleTestSite(keys: [ConsoleTestSite.support])
        let cookie = try site.logIn()
        site.api.answer(
            .event(id: "x"),
            with: answer(Self.item("x", outcome: .stale), newer: Self.item("y", position: 9))
        )
        let text = try site.send("/console/events/x", cookie: cookie).text
        #expect(text.contains("the store has already said something newer about this contract"))
        #expect(text.contains(#"<a href="/console/events/e0000000-9">the newer one</a>"#), "\(text)")
        // Without the right, nothing of the body is offered, nor given.
        #expect(!text.contains("Read the store"))
        #expect(try site.send("/console/events/x", form: [], cookie: cookie).status == 403)
    }

    @Test func theStoresWordsAreReadByAForm() throws {
        let site = ConsoleTestSite(keys: [Self.operations])
        let cookie = try site.logIn(Self.operations)
        var item = Self.item("x")
        item.body = #"{"name":"<script>alert(1)</script>\u202E"}"# + "\u{202E}"
        site.api.answer(.event(id: "x"), with: answer(item))
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: [], next: nil))
        #expect(try site.send("/console/events/x", cookie: cookie).text.contains("Read the store’s words") == false)
        let page = try site.send("/console/events/x", form: [], cookie: cookie)
        #expect(page.text.contains("&lt;script&gt;") && !page.text.contains("<script>alert"))
        #expect(page.text.contains("⟨U+202E⟩"))
        #expect(site.api.questions.last { $0.route == .event(id: "x") }?.query["body"] == "true")
    }

    struct Search: Sendable, CustomTestStringConvertible {
        var name: String
        var found: [SearchAnswer.Hit]
        var location: String?
        var text = ""
        var testDescription: String { name }
    }

    private static let cursor = Cursor(epoch: "e0000000", position: 7)
    static let searches = [
        Search(name: "a user", found: [.init(kind: "user", id: "a/b", user: "a/b")], location: "/console/users/a%2Fb"),
        Search(
            name: "an order and its user",
            found: [.init(kind: "order", id: "t", user: "42"), .init(kind: "user", id: "42", user: "42")],
            location: "/console/users/42"
        ),
        Search(
            name: "a contract of a user",
            found: [.init(kind: "contract", id: "c/1", user: "42", cursor: cursor.description)],
            location: "/console/users/42?found=c%2F1"
        ),
        Search(
            name: "a contract without a user",
            found: [.init(kind: "contract", id: "c1", user: nil, cursor: cursor.description)],
            location: "/console/events/e0000000-7"
        ),
        Search(
            name: "two",
            found: [
                .init(kind: "event", id: "x", user: "42", cursor: cursor.description),
                .init(kind: "user", id: "x", user: "x"),
            ],
            text: "2 found"
        ),
        Search(name: "none", found: [], text: "Nothing has exactly this name, and"),
    ]

    @Test(arguments: searches) func aSearchLeads(_ given: Search) throws {
        let site = ConsoleTestSite()
        let cookie = try site.logIn()
        site.api.answer(.search, with: SearchAnswer(query: "q", found: given.found))
        let answer = try site.send("/console/search?q=%20x%0A", cookie: cookie)
        #expect(answer.header("Location") == given.location, "\(answer.text)")
        #expect(answer.text.contains(given.text))
        #expect(site.api.questions.last?.query["q"] == "x")
    }

    /// A user's id may look like a transaction's, so the page asks, unless it can be none.
    @Test(arguments: [("2000000123456789", true), (String(repeating: "x", count: 256), false)])
    func nothingFoundSaysWhatItCanMean(_ name: String, mayBeUser: Bool) throws {
        let site = ConsoleTestSite()
        let cookie = try site.logIn()
        site.api.answer(.search, with: SearchAnswer(query: name, found: []))
        let text = try site.send("/console/search?q=\(name)", cookie: cookie).text
        for part in ["was never told", "order ID", "GPA.", "invoice or receipt number", "another server", "was erased"]
        {
            #expect(text.contains(part), "\(part): \(text)")
        }
        let question = #"Is it a user of your app, by your own id? Then <a href="/console/users/"#
        #expect(text.contains(question) == mayBeUser, "\(text)")
    }

    @Test func whatNeedsSomebodyIsSaidInSentences() throws {
        let site = ConsoleTestSite(keys: [Self.operations])
        let cookie = try site.logIn(Self.operations)
        let refused = AttentionAnswer.Refused(
            at: Instant(milliseconds: 0).iso8601,
            route: "/webhooks/apple",
            client: "192.0.2.9",
            reason: "bad_signature",
            message: "The signature does not belong to the body.",
            setting: "PAYCAST_APPLE_ROOTS",
            bytes: 19_000
        )
        let found = ConsoleFixture.attention(
            refused: [refused],
            unclaimed: [Self.item("u<1>", outcome: .unclaimed, user: nil)],
            count: 3,
            problems: ["the disk is full"]
        )
        site.api.answer(.attention, with: found)
        let text = try site.send("/console/attention", cookie: cookie).text
        let lead =
            "Somebody should look at 1 trouble of this server, 3 unclaimed purchases (no user is known for them) "
            + "and 1 refused webhook."
        for part in [
            lead, "the disk is full", "3 in all.", "192.0.2.9",
            "3 December 2025, 12:04:00 UTC", "<code>bad_signature</code>", "Compare PAYCAST_APPLE_ROOTS with",
            "Renewed</a> <code>DID_RENEW</code>", "every order got what it was made for", "No message was given up.",
            "/console/events/e0000000-7",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        #expect(!text.contains("u<1>"))
        // The overview says the same.
        let overview = try site.send("/console", cookie: cookie).text
        #expect(overview.contains("<p>" + lead) && overview.contains("the disk is full"), "\(overview)")
        site.api.answer(.ready, status: 503, with: Readiness(problems: ["the disk is full"], warnings: []))
        let nodes = try site.send("/console/nodes", cookie: cookie)
        #expect(
            nodes.status == 200 && nodes.text.contains("alone on its ledger") && nodes.text.contains("the disk is full")
        )
    }

    /// Whoever may know it is told what the server finds wrong with itself, in place of what the ledger has.
    @Test func withoutTheLedgerThePagesHaveTheServersTroubles() throws {
        let site = ConsoleTestSite(keys: [Self.operations, ConsoleTestSite.support])
        let (operations, support) = (try site.logIn(Self.operations), try site.logIn())
        for route in [Route.attention, .events, .user("42")] {
            site.api.answer(
                route,
                status: 503,
                with: ErrorAnswer(error: "ledger_unavailable", message: "No ledger <1>.")
            )
        }
        site.api.answer(
            .ready,
            status: 503,
            with: Readiness(problems: ["ledger: lost <2>", "store <4>"], warnings: ["template <3>"])
        )
        for path in ["/console/attention", "/console/live", "/console/users/42"] {
            let page = try site.send(path, cookie: operations)
            #expect(page.status == 503 && page.text.contains("No answer at the moment"))
            // The cause in place of what the API says, and once.
            #expect(page.text.contains("Ledger: lost &lt;2&gt;.") && !page.text.contains("No ledger"), "\(page.text)")
            #expect(page.text.ranges(of: "lost &lt;2&gt;").count == 1, "\(page.text)")
            #expect(page.text.contains("<b>Problem:</b> store &lt;4&gt;"), "\(page.text)")
            #expect(page.text.contains("<b>Warning:</b> template &lt;3&gt;"), "\(page.text)")
        }
        let overview = try site.send("/console", cookie: operations)
        #expect(overview.status == 200 && overview.text.ranges(of: "lost &lt;2&gt;").count == 1, "\(overview.text)")
        #expect(!overview.text.contains("No ledger"), "\(overview.text)")
        #expect(try !site.send("/console/users/42", cookie: support).text.contains("lost"))
        // A server that does not even answer that.
        site.api.answer(.ready, status: 503, with: ErrorAnswer(error: "busy", message: "Too busy."))
        #expect(try site.send("/console/attention", cookie: operations).text.contains("No answer at the moment"))
        #expect(try site.send("/console/nodes", cookie: operations).text.contains("Too busy."))
    }

    @Test func productsThatNobodyNamesAreListed() throws {
        let site = ConsoleTestSite(keys: [Self.operations])
        let cookie = try site.logIn(Self.operations)
        let found = ConsoleFixture.attention(unlisted: [
            .init(product: "weekly<1>", provider: "apple", users: 3),
            .init(product: "coins", provider: "google", users: 1001),
        ])
        site.api.answer(.attention, with: found)
        let text = try site.send("/console/attention", cookie: cookie).text
        for part in [
            "Somebody should look at 2 products that the catalog does not name.",
            "weekly&lt;1&gt;</bdi></th><td>Apple</td>",
            "<td class=\"number\">3</td>", "<td class=\"number\">1,000+</td>",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        site.api.answer(.attention, with: ConsoleFixture.attention())
        let none = try site.send("/console/attention", cookie: cookie).text
        #expect(none.contains("The catalog says of every product what it opens."))
    }

    @Test func anUnclaimedPurchaseLeadsToItsClaim() throws {
        var key = Self.operations
        key = AccessKey(name: key.name, rights: [.read, .operate, .act], secret: key.secret)
        let site = ConsoleTestSite(keys: [key])
        let cookie = try site.logIn(key)
        let item = Self.item("u/1", outcome: .unclaimed, user: nil)
        site.api.answer(.attention, with: ConsoleFixture.attention(unclaimed: [item]))
        let text = try site.send("/console/attention", cookie: cookie).text
        let lead = "The server itself is well. Somebody should look at 1 unclaimed purchase (no user is known for it)."
        #expect(text.contains(lead) && text.contains("<code>u/1</code>"), "\(text)")
        #expect(text.contains(#"<a href="/console/claim?event=u%2F1"><bdi>Claim it for a user"#), "\(text)")
        let known = try site.send("/console/attention?user=a%20b", cookie: cookie).text
        #expect(known.contains(#"<a href="/console/users/a%20b/claim?event=u%2F1"><bdi>Claim it for a b"#), "\(known)")
        #expect(known.contains("The links claim one for a b."))
        site.api.answer(.event(id: "x"), with: answer(item))
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: [], next: nil))
        #expect(try site.send("/console/events/x", cookie: cookie).text.contains("/console/claim?event=u%2F1"))
        #expect(try site.send("/console/claim?event=u%2F1", cookie: cookie).text.contains(#"value="u/1""#))
        let next = try site.send("/console/claim?event=u%2F1&user=a%2Fb", cookie: cookie)
        #expect(next.header("Location") == "/console/users/a%2Fb/claim?event=u%2F1")
    }

    /// What can be compared with a receipt is in the list itself.
    @Test func anUnclaimedPurchaseIsAsOnItsReceipt() throws {
        let site = ConsoleTestSite(keys: [Self.operations])
        let cookie = try site.logIn(Self.operations)
        var item = Self.item("u", outcome: .unclaimed, user: nil)
        (item.provider, item.contract) = ("google", "purchase-token")
        let bought = try #require(Instant(iso8601: "2025-12-02T09:30:00Z"))
        let charge = Transaction(
            id: "GPA.1234-5678",
            product: "pro",
            purchasedAt: bought,
            price: 9990,
            currency: "EUR",
            signedAt: bought
        )
        let key = ContractKey(provider: .google, environment: .production, app: "a", lineage: "purchase-token")
        let statement = StatementItem(Observation(contract: key, kind: .subscription, transaction: charge))
        site.api.answer(
            .event(id: item.cursor),
            with: EventAnswer(event: item, newer: nil, statement: statement, way: nil)
        )
        site.api.answer(.attention, with: ConsoleFixture.attention(unclaimed: [item]))
        let text = try site.send("/console/attention", cookie: cookie).text
        for part in [
            "<code>GPA.1234-5678</code>", "9.99 EUR", "2 December 2025, 09:30 UTC", "It carries no order token.",
            "A key with the right act may claim one.",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
    }

    @Test func anEventsWayIsExact() {
        let instant = Instant(milliseconds: 1_764_763_449_007)
        #expect(ConsoleTime.milliseconds(instant) == "3 December 2025, 12:04:09.007 UTC")
        #expect(ConsoleTime.seconds(instant) == "3 December 2025, 12:04:09 UTC")
        var way = answer(Self.item("x")).way
        way?.duplicates = 0
        #expect(EventStory.note(on: way) == "Through this node. The store has not sent it again.")
    }

    /// A session without the right is offered neither the pages nor their addresses.
    @Test(arguments: ["/console/attention", "/console/nodes", "/console/live", "/console/live/stream?since=e0000000-1"])
    func operatorsPagesAreForOperators(_ target: String) throws {
        let site = ConsoleTestSite()
        let cookie = try site.logIn()
        let answer = try site.send(target, cookie: cookie)
        #expect(answer.status == 403)
        #expect(try !site.send("/console", cookie: cookie).text.contains("/console/live"))
    }
}
