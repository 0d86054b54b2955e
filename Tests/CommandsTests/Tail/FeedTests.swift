import Domain
import Support
import Testing

@testable import Commands

@Suite struct FeedTests {
    struct Condition: Sendable {
        var field: String
        var value: String
        var isMet: Bool
    }

    @Test(arguments: [
        Condition(field: "type", value: "EXPIRED", isMet: true),
        Condition(field: "type", value: "EXPIRED/VOLUNTARY", isMet: true),
        Condition(field: "type", value: "EXPIRED/BILLING_RETRY", isMet: false),
        Condition(field: "subtype", value: "VOLUNTARY", isMet: true),
        Condition(field: "user", value: "42", isMet: true),
        Condition(field: "user", value: "4", isMet: false),
        Condition(field: "active", value: "false", isMet: true),
        Condition(field: "order", value: "", isMet: false),
    ]) func filterAsksForOneValue(_ condition: Condition) throws {
        var filter = TailFilter()
        filter.require(condition.field, anyOf: [condition.value])
        #expect(filter.matches(try expired(1)) == condition.isMet)
    }

    @Test func lineShowsWhatHappened() throws {
        let line = FeedLine(isColourful: false).render(try expired(1))
        let words = ["12:34:56.789 ", "apple ", "EXPIRED/VOLUNTARY ", "applied ", "user=42 ", "cancelled → expired "]
        for word in words { #expect(line.contains(word)) }
        #expect(line.hasSuffix("monthly  → paywall:paywall subscription_status:ending"))
        #expect(!line.contains("\u{1B}"))
        #expect(FeedLine(isColourful: true).render(try expired(1)).contains("\u{1B}[32mapplied    \u{1B}[0m"))
    }

    @Test func namesCannotMoveTheTerminalsCursor() throws {
        let data = #"{"user":"\u001b[2J","product":"a\u0007","type":"X\r\n"}"#
        let line = FeedLine(isColourful: false).render(try #require(FeedEntry(.init(type: "", data: data, id: "e-1"))))
        #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test func resumesAfterWhatItHasSeenAndSkipsRepetitions() throws {
        var follower = follower()
        #expect(queryString(follower.query).isEmpty)
        follower.receivedID("e-4")
        #expect(follower.query.map(\.value) == ["e-4"])
        #expect(follower.received(try expired(5)) == .print)
        #expect(follower.received(try expired(5)) == .skip)
        #expect(follower.received(try expired(4)) == .skip)
        follower.receivedID("e-3")
        #expect(follower.since == "e-5")
    }

    @Test func anotherLedgerBeginsAnew() throws {
        var follower = follower()
        #expect(follower.received(try expired(5)) == .print)
        #expect(follower.received(try expired(1, epoch: "f")) == .print)
        #expect(follower.since == "f-1")
    }

    @Test func endsAtTheLimit() throws {
        var follower = follower(limit: 2)
        #expect(follower.received(try expired(1)) == .print)
        #expect(follower.received(try expired(2)) == .printAndFinish)
    }

    @Test func endsWithTheMatchOrGivesUpAtTheLimit() throws {
        var until = TailFilter()
        until.require("type", anyOf: ["EXPIRED"])
        var follower = follower(until: until, limit: 1)
        #expect(follower.received(try expired(1)) == .printAndFinish)
        until.require("user", anyOf: ["43"])
        follower = self.follower(until: until, limit: 1)
        #expect(follower.received(try expired(1)) == .printAndGiveUp)
    }

    @Test func waitsLongerEachTimeUntilAConnectionLasts() {
        var follower = follower()
        let delays = (0..<8).map { _ in follower.disconnected().milliseconds }
        #expect(delays == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
        let start = monotonicNanoseconds()
        // A server that answers 200 and ends is not asked ten times a second.
        follower.connected(at: start)
        #expect(follower.disconnected(at: start + .milliseconds(999)) == .seconds(5))
        follower.connected(at: start)
        #expect(follower.disconnected(at: start + .seconds(1)) == .milliseconds(100))
        #expect(follower.disconnected(at: start + .seconds(9)) == .milliseconds(200), "that was not connected")
    }

    private func follower(until: TailFilter = TailFilter(), limit: Int? = nil) -> FeedFollower {
        FeedFollower(filter: TailFilter(), until: until, limit: limit, since: nil, timeout: nil)
    }

    private func expired(_ position: Int, epoch: String = "e") throws -> FeedEntry {
        let data = """
            {"cursor":"\(epoch)-\(position)","at":"2026-01-31T12:34:56.789Z","provider":"apple",
            "type":"EXPIRED","subtype":"VOLUNTARY","outcome":"applied","user":"42","product":"monthly",
            "previous_state":"cancelled","state":"expired","active":false,"order":null,
            "fragments":[{"target":"paywall","fragment":"paywall"},{"target":"subscription_status","fragment":"ending"}]}
            """
        return try #require(FeedEntry(.init(type: "message", data: data, id: "")))
    }
}
