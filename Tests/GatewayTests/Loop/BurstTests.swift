import Domain
import HTTP
import Pages
import Support
import TestSupport
import Testing

@testable import Gateway

/// A burst for some pages stops nobody, and its pages get all of it. Told by the order in which a loop does things: `/history`
/// says how many frames it had written by then.
@Suite(.blocking) struct BurstTests {
    private static let pages = 50
    private static let messages = 8
    /// Two of them go out together, which takes more than a turn.
    private static let filling = String(repeating: "x", count: 60_000)

    private let server: ScriptedGateway
    private let pages: [RawWebSocket]

    init() throws {
        server = try ScriptedGateway()
        pages = try (0..<BurstTests.pages).map { [server] _ in try BurstTests.page(of: server) }
    }

    /// Established once it answers a ping: from then on it gets what is published.
    private static func page(of server: ScriptedGateway) throws -> RawWebSocket {
        let page = try RawWebSocket(port: server.gateway.port, path: "/streams?name=x")
        try page.send(.ping)
        while try page.frame().opcode != .pong {}
        return page
    }

    private func message(_ text: String, at position: Int64? = nil) throws -> Message {
        let stream = try #require(StreamName("x"))
        return Message(stream: stream, position: position, parts: [Part(html: Array(text.utf8), collapseKey: nil)])
    }

    struct Asker: Sendable, CustomTestStringConvertible {
        let name: String
        let requests: [String]
        /// Whether it has to wait for the burst.
        var waits = false
        var testDescription: String { name }
    }

    static let askers = [
        Asker(name: "somebody else", requests: ["GET /history"]),
        Asker(name: "somebody who waits for another thread", requests: ["GET /attention", "GET /history"]),
        Asker(name: "somebody who publishes more", requests: ["POST /replays"], waits: true),
    ]

    @Test(arguments: askers) func stopsNobodyButWhoPublishes(_ asker: Asker) throws {
        let other = try server.connect()
        try other.send("GET /up HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.read(until: "up\n")
        let held = HeldLoop(of: server.gateway)
        for number in 0..<BurstTests.messages {
            let message = try message("<b>\(number)</b>" + BurstTests.filling)
            server.gateway.publish([Publication(transient: [message])])
        }
        #expect(!server.gateway.hasRoom)
        #expect(server.gateway.ports[0].owed > LoopPort.owedLimit)
        let end = "HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
        try other.send(asker.requests.map { "\($0) \(end)" }.joined())
        held.release()
        let answer = try other.read(until: " frames\n").dropLast(" frames\n".count)
        let frames = try #require(Int(String(answer.reversed().prefix(while: \.isNumber).reversed())))
        let all = BurstTests.pages * BurstTests.messages
        #expect(asker.waits ? frames == all : frames < all / 2, "\(frames) of \(all)")
        for page in pages {
            for number in 0..<BurstTests.messages { #expect(try page.text().hasPrefix("<b>\(number)</b>x")) }
        }
        server.gateway.waitForLoops()
        #expect(server.gateway.hasRoom)
        #expect(server.metrics.page().contains("paycast_queued_bytes 0\n"))
    }

    /// Its socket takes no more when its turn comes, and does again before the end.
    @Test func aPageThatFallsBehindMeanwhileMissesNothing() throws {
        let messages = try [message("one ", at: 8), message("two ", at: 9), message("three ", at: 10)]
        server.gateway.ports[0].send(
            .run { loop in
                loop.publish(messages[0])
                loop.publish(messages[1])
                loop.unwritten.close()
                for page in loop.connections.values where page.isPage {
                    page.isBlocked = true
                    for id in page.subscriptions { loop.hub.blocked(id) }
                }
            }
        )
        server.gateway.publish([Publication(transient: [messages[2]])])
        server.gateway.ports[0].send(
            .run { loop in
                for page in loop.connections.values where page.isPage { _ = loop.resume(page) }
            }
        )
        for page in pages { #expect(try page.text() == "one two three ") }
        #expect(server.metrics.page().contains("paycast_slow_closed_total 0\n"))
    }

    /// Queues of pages that have fallen behind meanwhile take their part of a turn, too.
    @Test func manyPagesThatFallBehindMeanwhileEndATurn() throws {
        let messages = try (0..<400).map { try message("\($0) ", at: Int64(8 + $0)) }
        let isOver = Promise<Bool>()
        server.gateway.ports[0].send(
            .run { loop in
                for message in messages { loop.publish(message) }
                for page in loop.connections.values where page.isPage {
                    page.isBlocked = true
                    for id in page.subscriptions { loop.hub.blocked(id) }
                }
                loop.turn = LoopTurn()
                loop.writeMessages()
                isOver.fulfil(loop.turn.isOver)
                for page in loop.connections.values where page.isPage { _ = loop.resume(page) }
            }
        )
        #expect(isOver.wait())
        let all = messages.map { String(decoding: $0.html, as: UTF8.self) }.joined()
        for page in pages {
            var text = ""
            while text.utf8.count < all.utf8.count { text += try page.text() }
            #expect(text == all)
        }
    }

    /// A page that leaves at a tick is told how far it is.
    @Test func aTickWaitsUntilWhatIsPublishedIsWritten() throws {
        let message = try message("one", at: 8)
        let (before, after) = (Promise<Bool>(), Promise<Bool>())
        server.gateway.ports[0].send(
            .run { loop in
                loop.publish(message)
                loop.tick()
                before.fulfil(loop.isTickDue)
            }
        )
        server.gateway.ports[0].send(.run { after.fulfil($0.isTickDue) })
        #expect(before.wait())
        #expect(!after.wait())
        for page in pages { #expect(try page.text() == "one") }
    }
}
