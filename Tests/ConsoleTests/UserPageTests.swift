import APIModel
import Domain
import HTTP
import Pages
import Support
import TestSupport
import Testing

@testable import API
@testable import Console

@Suite(.blocking) struct UserPageTests {
    private typealias Fixture = ConsoleFixture

    private func site(
        _ record: UserAnswer = ConsoleFixture.record(),
        events: [FeedItem] = [],
        rights: Set<Right> = [.read, .act]
    ) throws -> (site: ConsoleTestSite, cookie: String) {
        let key = AccessKey(name: "support", rights: rights, secret: ConsoleTestSite.support.secret)
        let site = ConsoleTestSite(keys: [key])
        site.api.answer(.user(record.user), with: record)
        site.api.answer(.userEvents(user: record.user), with: Fixture.events(events, user: record.user))
        return (site, try #require(try site.logIn(key)))
    }

    /// Every text of a store, a user or a page.
    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a\u{202E}b", "a\u{7}\u{1B}b",
        String(repeating: "long", count: 2560),
    ]) func textsAreInert(_ text: String) throws {
        let user = UserID(text.utf8.count > 255 ? "42" : text.replacing("\u{7}\u{1B}", with: ""))
        var event = Fixture.event(.subscriptionStarted, type: text)
        (event.subtype, event.reason, event.product, event.environment, event.provider) = (text, text, text, text, text)
        let stream = try #require(StreamName("s"))
        event.fragments = [FragmentItem(Fragment(stream: stream, action: "replace", target: text, content: .none))]
        event.fragments[0].stream = Fixture.record(user: user).stream
        let contract = Fixture.contract(lineage: text, product: text, owner: UserID("o\(text)"), account: text)
        let token = try #require(OrderToken("a5af9b36-0e4d-4665-8351-0e4003752165"))
        let placed = Order(token: token, user: user, product: text)
        let order = Fixture.order(placed, createdAt: Fixture.now, state: text)
        let rights = Set(Right.allCases)
        let (site, cookie) = try site(
            Fixture.record([contract], orders: [order], user: user),
            events: [event],
            rights: rights
        )
        let page = try site.send(ConsoleAddress.user(user), cookie: cookie)
        #expect(page.status == 200)
        for part in ["<script>", "<img src=x", "\u{202E}", "\u{7}", "\u{1B}", String(repeating: "long", count: 100)] {
            #expect(!page.text.contains(part), "\(part)")
        }
    }

    /// A charge with its price, period and refund; what nobody paid is marked.
    @Test func chargesAreListed() throws {
        let (site, cookie) = try site(Fixture.record(), events: [], rights: [.read])
        let at = Instant(milliseconds: 1_767_225_600_000)
        var terms = ChargeTerms(product: "coins<20>", purchasedAt: at, statedAt: at)
        (terms.price, terms.currency, terms.quantity, terms.offer) = (1_990_000, "JPY", 3, "SPRING")
        let refund = Charge.Refund(at: at + .seconds(60), amount: 990_000, isPartial: true, statedAt: at)
        let key = ContractKey(provider: .apple, environment: .sandbox, app: "a", lineage: "2")
        let charge = Charge(id: "2000000900000123", terms: terms, refund: refund)
        let item = PurchaseItem(charge, of: key, kind: .consumable, store: nil)
        let answer = PurchasesAnswer(user: "42", purchases: [item], next: "1_2_3")
        site.api.answer(.userPurchases(user: "42"), with: answer)
        let page = try site.send("/console/users/42", cookie: cookie).text
        for part in [
            "Charges, newest first", "<bdi>2000000900000123</bdi>", "<bdi>coins&lt;20&gt;</bdi> × 3", "1990 JPY",
            "SPRING",
            "given back 990 JPY", "Sandbox, no money was taken", "paycast export",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }

    /// What the user has is said by the newest events, whichever are listed.
    @Test func olderEventsChangeNoSentence() throws {
        let renewal = Fixture.event(.subscriptionRenewed)
        let (site, cookie) = try site(Fixture.record([Fixture.contract()]), events: [renewal])
        #expect(try site.send("/console/users/42?before=e-7", cookie: cookie).status == 200)
        let asked = site.api.questions.filter { $0.route == .userEvents(user: "42") }.map { $0.query["before"] }
        #expect(asked == [nil, "e-7"])
    }

    /// Each entitlement with its state and its reason, the main one first; who sells one thing sees no list of one.
    @Test func entitlementsComeFirst() throws {
        let items = Fixture.entitlements(["pro", "maps"], opened: ["pro"])
        let (site, cookie) = try site(Fixture.record([Fixture.contract()], entitlements: items))
        let names = ["pro", "maps"].compactMap(EntitlementName.init)
        site.api.answer(.catalog, with: CatalogAnswer(Catalog(entitlements: names)))
        let page = try site.send("/console/users/42", cookie: cookie).text
        let list = try #require(page.firstRange(of: "<h2 id=\"entitlements\">"))
        let contracts = try #require(page.firstRange(of: "<h2 id=\"contracts\">"))
        let text = String(page[list.upperBound..<contracts.lowerBound])
        let parts = text.split(separator: "<li class=\"item\">")
        #expect(
            parts.count == 3 && parts[1].contains("<bdi>pro</bdi>") && parts[1].contains("Active until 3 January 2026")
        )
        #expect(parts[2].contains("<bdi>maps</bdi>") && parts[2].contains("No contract opens it."), "\(parts)")
        #expect(page[contracts.upperBound...].contains("<dt>Opens</dt><dd><bdi>default</bdi></dd>"))
        let one = Fixture.entitlements(["default"], opened: ["default"])
        let (single, own) = try self.site(Fixture.record([Fixture.contract()], entitlements: one))
        #expect(try !single.send("/console/users/42", cookie: own).text.contains("id=\"entitlements\""))
    }

    @Test func saysWhatIsMissing() throws {
        let (site, cookie) = try site()
        let page = try site.send("/console/users/42", cookie: cookie).text
        for part in [
            "Nothing is known of this user", "sign up anew", "No contract at any store", "No event of this user",
        ] {
            #expect(page.contains(part))
        }
        #expect(!page.contains("<svg class=\"time-line\""))
    }

    /// A search by the store's name leads to a page that says why; of what the page does not have, it says nothing.
    @Test func whatWasFoundIsNamed() throws {
        let (site, cookie) = try site(Fixture.record([Fixture.contract()]))
        let page = try site.send("/console/users/42?found=1001", cookie: cookie).text
        for part in [
            "<bdi>1001</bdi> is a contract of <bdi>42</bdi> (<bdi>Apple, pro.monthly</bdi>)",
            "the buyer restores purchases", #"<span class="chip wait ">found</span>"#,
        ] {
            #expect(page.contains(part), "\(part): \(page)")
        }
        let other = try site.send("/console/users/42?found=1002", cookie: cookie).text
        #expect(!other.contains("is a contract of") && !other.contains(">found<"))
    }

    /// Who has nothing may be who has paid for an unclaimed purchase, however long ago.
    @Test(arguments: [0, 2]) func unclaimedPurchasesAreNamed(_ count: Int) throws {
        let (site, cookie) = try site(rights: [.read, .operate])
        let old = Fixture.event(.subscriptionStarted, outcome: .unclaimed, day: -3)
        let found = Fixture.attention(unclaimed: count == 0 ? [] : [old], count: count)
        site.api.answer(.attention, with: found)
        let page = try site.send("/console/users/42", cookie: cookie).text
        let purchases = "2 unclaimed purchases (no user is known for them), the newest of <time"
        #expect(page.contains(purchases) == (count > 0), "\(page)")
        #expect(page.contains("30 November 2025, 12:00 UTC") == (count > 0))
        #expect(page.contains("search for the order ID or number") == (count > 0))
    }

    /// It has twelve hours, so it stands at the top, and the event that asked is not called without effect.
    @Test(arguments: [Set<Right>([.read, .act]), [.read]]) func appleAsksAboutARefund(rights: Set<Right>) throws {
        let asked = """
            {"app":"com.example.app","asked_at":"\(Fixture.now.iso8601)","currency":"USD","cursor":"e-7",\
            "deadline":"\((Fixture.now + .seconds(12_000)).iso8601)","environment":"Production","is_subscription":true,\
            "price":9990,"product":"pro.monthly","purchased_at":"\(Fixture.now.iso8601)","reason":"OTHER","refusal":null,\
            "transaction":"2000000000000007","user":"42"}
            """
        let refund = try #require(JSON.decode(AttentionAnswer.Refund.self, from: Array(asked.utf8)))
        let event = Fixture.event(.refundRequested, type: "CONSUMPTION_REQUEST", outcome: .ignored)
        let (site, cookie) = try site(Fixture.record(refunds: [refund]), events: [event], rights: rights)
        let page = try site.send("/console/users/42", cookie: cookie).text
        #expect(page.contains("Apple asks whether to give the money for <bdi>pro.monthly</bdi> back."), "\(page)")
        #expect(page.contains("(3 h 20 min left)"), "\(page)")
        #expect(page.contains("/console/refunds/2000000000000007") == rights.contains(.act), "\(page)")
        #expect(page.contains("to be decided") && !page.contains("without effect"), "\(page)")
    }

    private static func order(day: Double, purchases: [OrderPurchaseItem] = []) throws -> OrderItem {
        let token = try #require(OrderToken("a5af9b36-0e4d-4665-8351-0e4003752165"))
        return Fixture.order(
            Order(token: token, user: "42", product: "pro.monthly"),
            createdAt: Fixture.date(day),
            state: purchases.isEmpty ? "open" : "fulfilled",
            purchases: purchases
        )
    }

    struct Hint: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// When the order was made, in days from now, and by which store.
        let made: Double
        var provider: String?
        var product = "pro.monthly"
        let isFound: Bool
    }

    /// Two days ago a purchase came, and a day ago a webhook was refused, both of Apple.
    @Test(arguments: [
        Hint(testDescription: "any store", made: -3, isFound: true),
        Hint(testDescription: "of the order's store", made: -3, provider: "apple", isFound: true),
        Hint(testDescription: "another store", made: -3, provider: "google", isFound: false),
        Hint(testDescription: "another product", made: -3, product: "pro.annual", isFound: false),
        Hint(testDescription: "before the order", made: -1.5, isFound: false),
    ]) func anOpenOrderNamesWhatFitsIt(_ given: Hint) throws {
        var order = try Self.order(day: given.made)
        order.provider = given.provider
        let (site, cookie) = try site(Fixture.record(orders: [order]), rights: [.read, .operate])
        var purchase = Fixture.event(.subscriptionStarted, outcome: .unclaimed, day: -2)
        purchase.product = given.product
        let refusal = AttentionAnswer.Refused(
            at: Fixture.date(-1).iso8601,
            route: "/webhooks/apple",
            client: nil,
            reason: "signed_in_past",
            message: "It is old.",
            bytes: 9
        )
        site.api.answer(.attention, with: Fixture.attention(refused: [refusal], unclaimed: [purchase], count: 1))
        let page = try site.send("/console/users/42", cookie: cookie).text
        #expect(page.contains("fits the order <code>\(order.order)</code>") == given.isFound, "\(page)")
        #expect(page.contains("1 webhook of Apple was refused here since <time") == (given.provider != "google"))
        #expect(!page.contains("unclaimed purchase, of"))
    }

    /// What the user had is another user's, and another product: neither a hint nor the other user's fragment misleads.
    @Test func whatWasMovedIsNoLongerTheUsers() throws {
        let bought = OrderPurchaseItem(
            provider: "apple",
            environment: "Production",
            app: "a",
            contract: "1001",
            user: "kim-12",
            product: "pro.annual",
            state: "active",
            purchasedAt: Fixture.date(-3).iso8601,
            event: nil,
            cursor: nil,
            at: nil
        )
        var move = try Self.told()
        (move.kind, move.user) = (EventKind.contractTransferred.rawValue, "kim-12")
        move.fragments[0].fragment = "moved"
        var other = move.fragments[0]
        (other.stream, other.fragment) = ("user:kim-12:paywall", "success")
        move.fragments.append(other)
        let (site, cookie) = try site(
            Fixture.record(orders: [try Self.order(day: -3, purchases: [bought])]),
            events: [move],
            rights: [.read, .operate]
        )
        let shown = UserPagesAnswer.Shown(target: "paywall", cursor: Fixture.cursor, html: "")
        let pages = UserPagesAnswer(user: "42", node: "n", pages: [], shown: [shown], since: Fixture.cursor)
        site.api.answer(.userPages(user: "42"), with: pages)
        site.api.answer(.attention, with: Fixture.attention(unclaimed: [Fixture.event(.subscriptionStarted)], count: 1))
        let page = try site.send("/console/users/42", cookie: cookie).text
        for part in [
            "each with its template: <bdi>paywall (moved)</bdi>", "for pages: moved</span>", "went to kim-12",
            #"<a href="/console/users/kim-12">"#, "1001, active, now pro.annual, now of kim-12",
            "Has the customer a page before them?",
        ] {
            #expect(page.contains(part), "\(part): \(page)")
        }
        #expect(!page.contains("unclaimed purchase"))
    }

    /// Why the backend was told nothing, as far as its addresses tell.
    @Test(arguments: [true, false]) func anUntoldBackendHasAReason(_ hasAddress: Bool) throws {
        let (site, cookie) = try site(rights: [.read, .operate])
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: [], next: nil))
        let hook = HooksAnswer.Hook(
            url: "https://shop.example/hooks",
            state: "ok",
            lastSuccess: nil,
            failures: 0,
            failingSince: nil,
            reason: nil,
            waiting: 0,
            oldest: nil
        )
        site.api.answer(.hooks, with: HooksAnswer(hooks: hasAddress ? [hook] : []))
        let page = try site.send("/console/users/42", cookie: cookie).text
        #expect(page.contains("of this user: no address is set") != hasAddress, "\(page)")
        #expect(page.contains("of this user: what the user may use has not changed") == hasAddress)
    }

    @Test func aTestPurchaseTookNoMoney() throws {
        var contract = Fixture.contract(environment: .sandbox, isActive: false)
        (contract.details.price, contract.details.currency) = (9990, "USD")
        let (site, cookie) = try site(Fixture.record([contract]))
        let page = try site.send("/console/users/42", cookie: cookie).text
        #expect(
            page.contains("9.99 USD, but no money was taken") && page.contains("install the app from the App Store")
        )
    }

    /// Who got a purchase by a move has made no order.
    @Test func aMoveExplainsWhyThereIsNoOrder() throws {
        var move = Fixture.event(.contractTransferred)
        move.user = "42"
        let (site, cookie) = try site(Fixture.record([Fixture.contract()]), events: [move])
        #expect(try site.send("/console/users/42", cookie: cookie).text.contains("the purchase was moved here"))
    }

    /// That a fragment was made does not mean that a page has it.
    @Test func howManyPagesTookItIsSaid() throws {
        let event = try Self.told()
        let (site, cookie) = try site(events: [event])
        let way = EventWay(
            verified: 1,
            committed: 2,
            rendered: 3,
            firstPage: nil,
            lastPage: 4,
            pages: 0,
            duplicates: 0
        )
        #expect(try site.send("/console/users/42", cookie: cookie).text.contains("for pages: success</span>"))
        let answer = EventAnswer(event: event, newer: nil, statement: nil, way: way)
        site.api.answer(.event(id: event.cursor), with: answer)
        let page = try site.send("/console/users/42", cookie: cookie).text
        #expect(page.contains("for pages: success. No page was open at this node; it is shown as soon"), "\(page)")
    }

    /// An event that has changed the paywall.
    private static func told() throws -> FeedItem {
        var event = Fixture.event(.subscriptionStarted)
        let stream = try #require(StreamName("user:42:paywall"))
        let content = Fragment.Content.template(name: "success", values: [:])
        event.fragments = [
            FragmentItem(Fragment(stream: stream, action: "replace", target: "paywall", content: content))
        ]
        return event
    }

    @Test func aStaleEventNamesTheNewerOne() throws {
        let events = [
            Fixture.event(.subscriptionStarted, outcome: .stale, day: -1, position: 9),
            Fixture.event(.subscriptionRenewed, day: -0.5, position: 8),
        ]
        // It was committed later than the newer one.
        var late = events[0]
        late.at = Fixture.now.iso8601
        let (site, cookie) = try site(Fixture.record([Fixture.contract()]), events: [late, events[1]])
        let page = try site.send("/console/users/42", cookie: cookie).text
        #expect(
            page.contains(#"a newer one of <a href="/console/events/e-8">3 December 2025, 00:00 UTC</a> was applied"#)
        )
    }

    struct Shape: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let rights: Set<Right>
        let offered: [String]
        let hidden: [String]
    }

    static let shapes = [
        Shape(
            testDescription: "who only reads",
            rights: [.read],
            offered: [
                "Events, newest first",
                "to your key: claiming, granting and sending again (right act); erasing (right erase).",
            ],
            hidden: ["Grant access", "Erase the user", "Send again", "What people of yours did", "Take it back"]
        ),
        Shape(
            testDescription: "who acts",
            rights: [.read, .act],
            offered: ["Grant access", "Claim a purchase", "Try a replay", "Ask the store again", "Take it back"],
            hidden: ["Erase the user", "What people of yours did", "What your backend was told"]
        ),
        Shape(
            testDescription: "who may do all",
            rights: Set(Right.allCases),
            offered: ["Erase the user", "What people of yours did", "What your backend was told", "Send again"],
            hidden: ["Not offered to your key"]
        ),
    ]

    @Test(arguments: shapes) func rightsShapeThePage(_ given: Shape) throws {
        let grant = Fixture.contract(.owned, until: nil, provider: .paycast)
        let (site, cookie) = try site(Fixture.record([grant]), rights: given.rights)
        site.api.answer(.audit, with: AuditAnswer((entries: [], hasMore: false)))
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: [Self.delivery], next: nil))
        let page = try site.send("/console/users/42", cookie: cookie).text
        for text in given.offered { #expect(page.contains(text), "\(text)") }
        #expect(page.contains("after 1 try<") == given.rights.contains(.operate))
        for text in given.hidden { #expect(!page.contains(text), "\(text)") }
    }

    /// Who was erased is told to the backend alone.
    @Test func theMessageOfAnErasureIsHidden() throws {
        let (site, cookie) = try site(rights: [.read, .operate])
        var erasure = Self.delivery
        erasure.type = HookType.userErased.rawValue
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: [erasure], next: nil))
        let page = try site.send("/console/users/42", cookie: cookie).text
        #expect(!page.contains("user.erased") && page.contains("Your backend was told nothing of this user"))
        erasure.user = ""
        site.api.answer(.attention, with: Fixture.attention(failedHooks: [erasure]))
        let attention = try site.send("/console/attention", cookie: cookie).text
        #expect(attention.contains("user.erased") && !attention.contains("/console/users/"), "\(attention)")
    }

    private static let delivery = HookDeliveriesAnswer.Delivery(
        id: "3",
        message: "m",
        url: "https://shop.example/hooks",
        user: "42",
        type: "entitlements.changed",
        state: "failed",
        attempts: 1,
        cursor: Fixture.cursor,
        superseded: 0,
        queuedAt: Fixture.now.iso8601,
        dueAt: nil,
        endedAt: Fixture.now.iso8601,
        reason: "it answered 500"
    )

    /// What the app sends its pages is not trusted: it is in a frame that runs nothing.
    @Test func thePreviewIsASandbox() throws {
        let (site, cookie) = try site(events: [try Self.told()])
        let shown = UserPagesAnswer.Shown(
            target: "paywall",
            cursor: Fixture.cursor,
            html: "<b>Hello</b><script>1</script>"
        )
        let answer = UserPagesAnswer(
            user: "42",
            node: "n",
            pages: [],
            shown: [shown],
            since: Fixture.cursor
        )
        site.api.answer(.userPages(user: "42"), with: answer)
        let page = try site.send("/console/users/42", cookie: cookie).text
        #expect(page.contains(#"<iframe class="preview-frame" sandbox="""#) && !page.contains("<b>Hello</b>"))
        #expect(page.contains("each with its template: <bdi>paywall (success)</bdi>"), "\(page)")
        let preview = try site.send("/console/users/42/preview", cookie: cookie)
        #expect(preview.text.contains("<b>Hello</b>"))
        let policies = preview.headers.filter { $0.name == "Content-Security-Policy" }.map(\.value)
        #expect(policies == [UserPreviewPage.policy])
        #expect(policies[0].contains("sandbox;") && policies[0].contains("default-src 'none'"))
        #expect(try site.send("/console/users/42/preview").status == 401)
    }
}
