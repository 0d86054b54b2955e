import Domain
import Encoding
import Pages
import TestSupport
import Testing

@testable import Gateway

/// Identifiers of one stream that have seen the same: the ledger is read once for all of them on a connection.
@Suite(.blocking) struct SharedCatchUpTests {
    private let server: ScriptedGateway
    private let client: CableClient

    init() throws {
        server = try ScriptedGateway()
        client = try CableClient(port: server.gateway.port)
    }

    /// Waits until the server has taken what was sent.
    private func subscribe(_ numbers: Range<Int>, since: String) throws {
        for number in numbers {
            let identifier = CableClient.identifier("slow", since: since)
            try client.send("subscribe", identifier: #"{"k":\#(number),"# + identifier.dropFirst())
        }
        try client.webSocket.send(.ping)
        while try client.webSocket.frame().opcode != .pong {}
    }

    private func batch(_ html: String, at position: Int64) throws -> CatchUpBatch {
        CatchUpBatch(through: position, messages: [try message(html, at: position)])
    }

    private func message(_ html: String, at position: Int64) throws -> Message {
        let stream = try #require(StreamName("slow"))
        return Message(stream: stream, position: position, parts: [Part(html: Array(html.utf8), collapseKey: nil)])
    }

    private func publishTwo() throws {
        for position in [9, 10] as [Int64] {
            server.gateway.publish([Publication(transient: [try message("<b>\(position)</b>", at: position)])])
        }
        server.gateway.waitForLoops()
    }

    /// What each subscription was sent, by the number in its identifier.
    private func received(by count: Int) throws -> [String: String] {
        var received: [String: String] = [:]
        var confirmed: Set<String> = []
        while received.count < count {
            let message = try client.next()
            let identifier = try #require(message["identifier"]?.text)
            if message["type"]?.text == "confirm_subscription" {
                confirmed.insert(identifier)
            } else {
                #expect(confirmed.contains(identifier), "a message came before its confirmation")
                received[identifier, default: ""] += message["message"]?.text ?? ""
            }
        }
        return received
    }

    @Test func streamIsReadOnceForAllItsNames() throws {
        try subscribe(0..<100, since: "test-3")
        try server.ledger.answer(batch("<b>8</b>", at: 8))
        let received = try received(by: 100)
        #expect(Set(received.values) == ["<b>8</b>"])
        #expect(server.ledger.waitingCount == 0)
    }

    /// What was published while the first one's reading was on its way, which paused subscriptions do not collect.
    @Test func whatCameMeanwhileFollows() throws {
        try subscribe(0..<3, since: "test-3")
        try publishTwo()
        try server.ledger.answer(batch("<b>8</b>", at: 8))
        #expect(try Set(received(by: 3).values) == ["<b>8</b><b>9</b><b>10</b>"])
        #expect(server.ledger.waitingCount == 0)
    }

    /// Memory no longer has what came meanwhile.
    @Test func isReadAnewWhereMemoryHasForgotten() throws {
        try subscribe(0..<3, since: "test-3")
        try publishTwo()
        server.gateway.forgetRecentMessages()
        try server.ledger.answer(batch("<b>8</b>", at: 8))
        try server.ledger.answer(batch("<b>10</b>", at: 10))
        #expect(try received(by: 3).values.sorted() == ["<b>10</b>", "<b>10</b>", "<b>8</b><b>9</b><b>10</b>"])
        #expect(server.ledger.waitingCount == 0)
    }

    @Test func anotherCursorIsReadForItself() throws {
        try subscribe(0..<2, since: "test-3")
        try subscribe(2..<4, since: "test-4")
        try server.ledger.answer(batch("<b>3</b>", at: 8))
        try server.ledger.answer(batch("<b>4</b>", at: 8))
        let received = try received(by: 4)
        #expect(received.values.sorted() == ["<b>3</b>", "<b>3</b>", "<b>4</b>", "<b>4</b>"])
        #expect(server.ledger.waitingCount == 0)
    }
}
