import Testing

@testable import PaycastKit

@Suite("Messages of the store")
struct WaitingMessagesTests {
    private struct NoWindow: Error {}

    @Test("What could not be shown is shown the next time, and what was shown is not shown again")
    func keeps() {
        var messages = WaitingMessages<String>()
        var shown: [String] = []
        for message in ["declined", "price"] { messages.append(message) }
        messages.show { message in
            if message == "declined" { throw NoWindow() }
            shown.append(message)
        }
        for _ in 0..<2 { messages.show { shown.append($0) } }
        #expect(shown == ["price", "declined"])
    }
}
