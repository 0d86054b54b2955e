import APIModel
import Domain
import Pages
import TestSupport
import Testing

@testable import API
@testable import Console

/// What an event's page says in sentences, and no more than is known.
@Suite(.blocking) struct EventStoryTests {
    private static let token = "a5af9b36-0e4d-4665-8351-0e4003752165"

    struct Unclaimed: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var order: String?
        var isKnown = false
        var says: String
    }

    @Test(arguments: [
        Unclaimed(testDescription: "no token", says: "It carries no order token."),
        Unclaimed(
            testDescription: "a token of another server",
            order: token,
            says: "It carries the order token \(token), and no order of that name is known here"
        ),
        Unclaimed(
            testDescription: "a token whose order came later",
            order: token,
            isKnown: true,
            says: "It came before the order whose token it carries."
        ),
    ]) func anUnclaimedEventSaysWhy(_ given: Unclaimed) throws {
        let site = ConsoleTestSite(keys: [ConsoleEventTests.operations])
        let cookie = try site.logIn(ConsoleEventTests.operations)
        var item = ConsoleEventTests.item("x", outcome: .unclaimed, user: nil)
        (item.order, item.active) = (given.order, nil)
        site.api.answer(.event(id: "x"), with: EventAnswer(event: item, newer: nil, statement: nil, way: nil))
        if given.isKnown, let token = OrderToken(Self.token) {
            let order = Order(token: token, user: "42", product: "pro")
            let known = ConsoleFixture.order(order, createdAt: Instant(milliseconds: 0))
            site.api.answer(.order(token: Self.token), with: known)
        }
        let text = try site.send("/console/events/x", cookie: cookie).text
        for part in [
            given.says, "A key with the right act may claim it.",
            "as far as the state says, yes, until 3 January 2026, 12:00 UTC, for nobody yet",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        // Only to an order that is known a link leads.
        #expect(text.contains("search?q=\(Self.token)") == given.isKnown)
    }

    @Test func aWayIsNoMoreThanIsKnown() {
        var way = EventWay(
            verified: 400,
            committed: 1400,
            rendered: 1500,
            firstPage: 1600,
            lastPage: 2100,
            pages: 3,
            duplicates: 0
        )
        #expect(EventStory.taken(way) == "3 open pages of this node took them at once.")
        way.pages = 0
        #expect(EventStory.taken(way) == "No page was open at this node; it is shown as soon as one opens.")
        // After a restart, the store has sent it again.
        way.committed = nil
        let unknown = "This node does not know, or has forgotten, whether a page took them."
        #expect(EventStory.taken(way) == unknown && EventStory.taken(nil) == unknown)
    }

    @Test func noStoreSignsAfterTheArrival() {
        var item = ConsoleEventTests.item("x")
        (item.occurredAt, item.receivedAt) = ("2025-12-03T12:04:07.700Z", "2025-12-03T12:04:00Z")
        #expect(EventStory.ahead(of: item) == "the store's clock is 8 s ahead of ours")
        // Less is nobody's concern.
        item.occurredAt = "2025-12-03T12:04:05Z"
        #expect(EventStory.ahead(of: item) == nil)
    }

    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout FeedItem) -> Void
        var says: [String]
    }

    @Test(arguments: [
        Story(
            testDescription: "a refund",
            change: { $0.state = "revoked" },
            says: ["changed from “grace period” to “taken back”, since 3 January 2026."]
        ),
        Story(
            testDescription: "the Sandbox",
            change: { ($0.environment, $0.active) = ("Sandbox", false) },
            says: ["the user was not in PAYCAST_SANDBOX_USERS.", "no, since it is of the Sandbox"]
        ),
        Story(
            testDescription: "a transfer",
            change: { item in
                (item.kind, item.user) = ("contract.transferred", "lea-12")
                item.fragments = ["lea-12", "hana-8"].compactMap { user in
                    StreamName("user:\(user):paywall").map { stream in
                        FragmentItem(Fragment(stream: stream, action: "refresh", content: .none))
                    }
                }
            },
            says: ["It concerns more than one user", "user:hana-8:paywall"]
        ),
        Story(
            testDescription: "of an erased user",
            change: { item in
                (item.event, item.user, item.contract, item.state, item.previousState) = (nil, nil, nil, nil, nil)
            },
            says: [
                "It was about a user who was erased since", "What it changed was erased with the user.",
                "What it said was erased with the user.", "What the ledger knows.",
            ]
        ),
        Story(
            testDescription: "an erasure",
            change: {
                $0 = FeedItem(
                    Entry(
                        position: 7,
                        committedAt: Instant(milliseconds: 0),
                        notice: Notice(kind: .userErased),
                        fragments: []
                    ),
                    epoch: "e"
                )
            },
            says: ["Somebody with a key of yours erased a user.", "paycast tail --audit"]
        ),
    ]) func anEventSaysWhatItDid(_ given: Story) throws {
        let site = ConsoleTestSite(keys: [ConsoleEventTests.operations])
        let cookie = try site.logIn(ConsoleEventTests.operations)
        var item = ConsoleEventTests.item("x")
        given.change(&item)
        site.api.answer(.event(id: "x"), with: EventAnswer(event: item, newer: nil, statement: nil, way: nil))
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: [], next: nil))
        let text = try site.send("/console/events/x", cookie: cookie).text
        for part in given.says { #expect(text.contains(part), "\(part): \(text)") }
    }

    /// An upgrade leaves the state as it is.
    @Test func anUpgradeNamesBothProducts() throws {
        let site = ConsoleTestSite(keys: [ConsoleEventTests.operations])
        let cookie = try site.logIn(ConsoleEventTests.operations)
        var item = ConsoleEventTests.item("x")
        (item.product, item.previousState) = ("pro.annual", "active")
        var former = ConsoleEventTests.item("w", position: 5)
        former.product = "pro.monthly"
        former.accessUntil = "2025-12-20T12:00:00Z"
        site.api.answer(.event(id: "x"), with: EventAnswer(event: item, newer: nil, statement: nil, way: nil))
        site.api.answer(.hookDeliveries, with: HookDeliveriesAnswer(deliveries: [], next: nil))
        let head = Cursor(epoch: "e0000000", position: 7)
        site.api.answer(
            .userEvents(user: "42"),
            with: UserEventsAnswer(user: "42", events: [former], next: nil, since: head.description)
        )
        let text = try site.send("/console/events/x", cookie: cookie).text
        for part in [
            "stayed “active”, until 3 January 2026; its product changed from pro.monthly to pro.annual.",
            "<td><bdi>pro.monthly</bdi></td><td><bdi>pro.annual</bdi></td>", "yes, until 20 December 2025, 12:00 UTC",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
    }

    @Test func aListSaysWhoseWordsWereErased() throws {
        let site = ConsoleTestSite(keys: [ConsoleEventTests.operations])
        let cookie = try site.logIn(ConsoleEventTests.operations)
        var item = ConsoleEventTests.item("x")
        (item.event, item.user, item.contract, item.state, item.previousState) = (nil, nil, nil, nil, nil)
        let head = Cursor(epoch: "e0000000", position: 7)
        site.api.answer(.events, with: EventsAnswer(events: [item], next: nil, since: head.description))
        let text = try site.send("/console/live", cookie: cookie).text
        #expect(text.contains("<bdi>erased user</bdi>") && text.contains("Newest commit first"), "\(text)")
    }

    @Test func anOldSignatureHasSeveralCauses() {
        let refusal = AttentionAnswer.Refused(
            at: Instant(milliseconds: 0).iso8601,
            route: "/webhooks/stripe",
            client: "127.0.0.1",
            reason: "signed_in_past",
            message: "",
            setting: nil,
            bytes: 1
        )
        #expect(AttentionPage.todo(refusal).hasPrefix("If the clock is right, it came late (a queue, a proxy)"))
    }
}
