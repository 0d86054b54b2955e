import APIModel
import Domain
import Pages
import TestSupport
import Testing

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
            let known = OrderItem(
                order,
                createdAt: Instant(milliseconds: 0),
                state: "open",
                purchases: [],
                quarantined: []
            )
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
        (item.occurredAt, item.receivedAt) = ("2025-12-03T12:04:00.700Z", "2025-12-03T12:04:00Z")
        #expect(EventStory.ahead(of: item) == "the store's clock is 0.7 s ahead of ours")
        item.receivedAt = item.occurredAt
        #expect(EventStory.ahead(of: item) == nil)
    }
}
