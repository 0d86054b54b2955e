import Domain
import Testing

@testable import Pages

/// What is read part by part is collected during the reading of the last part alone.
@Suite struct PauseTests {
    let stream = StreamName.feed("test")

    private func message(_ position: Int64) -> Message {
        Message(stream: stream, position: position, parts: [Part(html: Array("\(position) ".utf8), collapseKey: nil)])
    }

    @Test func collectsNothingWhilePausedAndLosesNothingAfterwards() {
        var hub = Hub(queuedBytes: 200)
        let id = hub.subscribe(to: stream)
        _ = hub.publish(message(1))
        hub.pause(id)
        // More than the queue may hold.
        for position in 2...20 { #expect(hub.publish(message(Int64(position))) == Recipients(live: [], closed: [])) }
        hub.resume(id)
        _ = hub.publish(message(21))
        // The ledger was read up to 20 after `resume`.
        let frame = hub.catchUp(id, through: 20, messages: [])
        #expect(frame.map { String(decoding: $0.html, as: UTF8.self) } == "21 ")
        #expect(hub.publish(message(22)).live == [id])
    }

    /// A part that comes to nobody any more.
    @Test func whatWasPausedTakesNoAnswer() {
        var hub = Hub()
        let id = hub.subscribe(to: stream)
        hub.pause(id)
        #expect(hub.catchUp(id, through: 3, messages: [message(1)]) == nil)
        hub.unsubscribe(id)
        hub.resume(id)
        #expect(hub.subscriptionCount == 0)
    }
}
