import Domain
import Testing

@testable import Pages

/// What a page that comes back soon is answered from.
@Suite struct RecentMessagesTests {
    private let paywall = StreamName("user:1:paywall")
    private let other = StreamName("user:2:paywall")

    private func message(on stream: StreamName?, position: Int64, html: String = "x") throws -> Message {
        let parts = [Part(html: Array(html.utf8), collapseKey: nil)]
        return Message(stream: try #require(stream), position: position, parts: parts)
    }

    private func positions(of hub: Hub, on stream: StreamName?, after position: Int64) throws -> [Int64?]? {
        hub.recentMessages(on: try #require(stream), after: position)?.map(\.position)
    }

    /// A hub that begins at position 10, with the messages of 11 to 14.
    private func hub(recentBytes: Int = 1 << 20) throws -> Hub {
        var hub = Hub(recentBytes: recentBytes, position: 10)
        for (position, stream) in [(11, paywall), (12, other), (13, paywall)] as [(Int64, StreamName?)] {
            _ = hub.publish(try message(on: stream, position: position))
            hub.advance(to: position)
        }
        // Of nobody's page.
        hub.advance(to: 14)
        return hub
    }

    @Test func everythingAfterTheCursorIsThereInOrder() throws {
        let hub = try hub()
        #expect(try positions(of: hub, on: paywall, after: 10) == [11, 13])
        #expect(try positions(of: hub, on: paywall, after: 11) == [13])
        #expect(try positions(of: hub, on: paywall, after: 14) == [])
        #expect(try positions(of: hub, on: other, after: 10) == [12])
        #expect(try positions(of: hub, on: StreamName("nobody"), after: 10) == [])
    }

    @Test func whatWasBeforeTheStartOrIsNotYetHereOnlyTheLedgerKnows() throws {
        let hub = try hub()
        #expect(try positions(of: hub, on: paywall, after: 9) == nil)
        #expect(try positions(of: hub, on: paywall, after: 15) == nil)
    }

    @Test func repeatedAndTransientMessagesAreNotKept() throws {
        var hub = try hub()
        _ = hub.publish(try message(on: paywall, position: 13))
        _ = hub.publish(Message(stream: try #require(paywall), position: nil, parts: []))
        #expect(try positions(of: hub, on: paywall, after: 10) == [11, 13])
    }

    @Test func oldestLeaveFirstAndAreAskedForElsewhere() throws {
        var hub = Hub(recentBytes: 20_000, position: 0)
        for position in 1...100 as ClosedRange<Int64> {
            _ = hub.publish(
                try message(
                    on: position.isMultiple(of: 2) ? paywall : other,
                    position: position,
                    html: String(repeating: "x", count: 1000)
                )
            )
            hub.advance(to: position)
        }
        #expect(try positions(of: hub, on: paywall, after: 50) == nil)
        #expect(try positions(of: hub, on: paywall, after: 95) == [96, 98, 100])
        let known = (0...100).filter { hub.recentMessages(on: other ?? .feed(""), after: Int64($0)) != nil }
        // 20,000 bytes hold 16 of them.
        #expect(known == Array(84...100))
    }

    @Test func moreThanAPageShouldGetIsAskedForElsewhere() throws {
        var hub = Hub(position: 0)
        for position in 1...150 as ClosedRange<Int64> {
            _ = hub.publish(try message(on: paywall, position: position))
            hub.advance(to: position)
        }
        #expect(try positions(of: hub, on: paywall, after: 49) == nil)
        #expect(try positions(of: hub, on: paywall, after: 50)?.count == 100)
    }

    @Test func forgottenIsForgotten() throws {
        var hub = try hub()
        hub.forgetRecentMessages()
        #expect(try positions(of: hub, on: paywall, after: 13) == nil)
        #expect(try positions(of: hub, on: paywall, after: 14) == [])
        _ = hub.publish(try message(on: paywall, position: 15))
        hub.advance(to: 15)
        #expect(try positions(of: hub, on: paywall, after: 14) == [15])
    }

    /// Its user reads another language: the ledger tells what was published, and what is newer is told from here again.
    @Test func oneStreamIsForgotten() throws {
        var hub = try hub()
        hub.forgetRecentMessages(on: try #require(paywall))
        #expect(try positions(of: hub, on: paywall, after: 10) == nil)
        #expect(try positions(of: hub, on: paywall, after: 12) == nil)
        #expect(try positions(of: hub, on: paywall, after: 13) == [])
        #expect(try positions(of: hub, on: other, after: 10) == [12])
        _ = hub.publish(try message(on: paywall, position: 15))
        hub.advance(to: 15)
        #expect(try positions(of: hub, on: paywall, after: 12) == nil)
        #expect(try positions(of: hub, on: paywall, after: 13) == [15])
    }

    /// A page that has just been rendered gets the state, and not what happened before.
    @Test func newsIsOnlyForThoseWhoWereThere() throws {
        var hub = Hub(position: 0)
        let stream = try #require(paywall)
        let content = Fragment.Content.template(name: "purchase", values: [:])
        let news = Fragment(stream: stream, action: "replace", target: "purchase", content: content)
        let state = Fragment(stream: stream, action: "replace", target: "paywall", content: .html("x"))
        let own = Fragment(stream: stream, action: "replace", target: "purchase", content: .html("the app's own"))
        for (position, fragments) in [(1, [state, news]), (2, [news]), (3, [own])] as [(Int64, [Fragment])] {
            let renderer = TemplateRenderer()
            _ = hub.publish(Message(position: position, fragments: fragments, on: stream, renderer: renderer))
            hub.advance(to: position)
        }
        #expect(hub.newestMessages(on: stream)?.map(\.position) == [1, 3])
        #expect(hub.newestMessages(on: stream)?.map(\.parts.count) == [1, 1])
        #expect(try positions(of: hub, on: paywall, after: 0) == [1, 2, 3])
    }

    @Test func whatIsNotRememberedNeedsNoForgetting() throws {
        var hub = Hub(position: 0)
        hub.forgetRecentMessages(on: try #require(paywall))
        #expect(try positions(of: hub, on: paywall, after: 0) == [])
        #expect(hub.newestMessages(on: try #require(paywall))?.isEmpty == true)
    }

    /// Its user was erased: nobody is told from here what was published, and it is not here any more.
    @Test func oneStreamIsErased() throws {
        var hub = try hub(recentBytes: 4 * 193)
        hub.erase(try #require(paywall))
        #expect(try positions(of: hub, on: paywall, after: 10) == nil)
        #expect(try positions(of: hub, on: paywall, after: 12) == nil)
        #expect(try positions(of: hub, on: paywall, after: 13) == [])
        #expect(try positions(of: hub, on: other, after: 10) == [12])
        // The places of what was erased are given up in their turn.
        for position in 15...20 {
            _ = hub.publish(try message(on: paywall, position: Int64(position)))
            hub.advance(to: Int64(position))
        }
        #expect(try positions(of: hub, on: paywall, after: 16) == [17, 18, 19, 20])
        #expect(try positions(of: hub, on: paywall, after: 15) == nil)
    }

    @Test func whatWaitsForAnErasedUserIsNotSent() throws {
        var hub = Hub(position: 0)
        let stream = try #require(paywall)
        let slow = hub.subscribe(to: stream)
        _ = hub.catchUp(slow, through: 0, messages: [])
        hub.blocked(slow)
        _ = hub.publish(try message(on: stream, position: 1, html: "secret"))
        hub.erase(stream)
        _ = hub.publish(try message(on: stream, position: 2, html: "refresh"))
        #expect(hub.writable(slow).map { String(decoding: $0.html, as: UTF8.self) } == "refresh")
    }

    /// What was dropped from a stream whose newer messages stay would otherwise be held beside all that is counted.
    @Test func nothingHoldsTheBytesOfWhatWasDropped() throws {
        var html = Array(repeating: UInt8(ascii: "x"), count: 1000)
        let stream = try #require(paywall)
        var recent = RecentMessages(byteLimit: 2000, position: 0)
        let first = Message(stream: stream, position: 1, parts: [Part(html: html, collapseKey: nil)])
        recent.add(consume first, at: 1)
        recent.add(try message(on: stream, position: 2), at: 2)
        recent.add(try message(on: other, position: 3, html: String(repeating: "y", count: 800)), at: 3)
        #expect(recent.floor == 1 && recent.messages(on: stream, after: 1)?.count == 1)
        // An array that nobody else holds is changed in place.
        let place = html.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        html[0] = UInt8(ascii: "z")
        #expect(html.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == place)
    }
}
