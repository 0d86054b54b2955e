import TestSupport
import Testing

@testable import HTTP

/// Frames in, events and frames out, without a socket.
@Suite struct ServerSessionTests {
    /// A session whose answers have `body`, and what a client gets to see.
    private final class Fixture {
        let session: ServerSession
        private(set) var isOpen = true

        init(_ source: @escaping (Int32, UnsafeMutableRawBufferPointer) -> Pull = { _, _ in .nothing }) throws {
            session = try #require(ServerSession())
            session.source = source
            receive(HTTP2Frame.preface + HTTP2Frame.settings().bytes)
        }

        func receive(_ bytes: [UInt8]) {
            // As from a socket, in reads of 16 KiB.
            var rest = bytes[...]
            while isOpen, !rest.isEmpty {
                let piece = Array(rest.prefix(16 << 10))
                isOpen = piece.withUnsafeBytes { session.receive($0) }
                rest = rest.dropFirst(piece.count)
            }
        }

        func receive(_ frames: [HTTP2Frame]) { receive(frames.flatMap(\.bytes)) }

        func answer(_ id: Int32, status: Int = 200, hasBody: Bool = true) throws {
            let head = ResponseHead(status: status, headers: [], length: nil, keepAlive: true)
            #expect(session.respond(to: id, head: head, date: "Sun, 06 Nov 1994 08:49:37 GMT", hasBody: hasBody))
            _ = sent()
        }

        func sent() -> [HTTP2Frame] {
            var output: [UInt8] = []
            _ = session.fill(&output, limit: .max)
            return HTTP2Frame.all(in: output)
        }
    }

    private final class Tally {
        var asked = 0
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        var frames: [HTTP2Frame]
        /// Of the goodbye (RFC 9113 §7).
        var code: UInt32
        var testDescription: String { name }
    }

    private static let head = HTTP2Frame.request(1, path: "/up")
    private static let openHead = HTTP2Frame(.headers, stream: 1, payload: head.payload)
    private static let priority = HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 16])
    private static let ping = HTTP2Frame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8])
    private static let piece = HTTP2Frame(.continuation, stream: 1, payload: HTTP2Frame.block([("a", "b")]))

    static let attacks = [
        Attack(
            name: "frames between the pieces of a head",
            frames: [openHead, priority, .request(3, path: "/up")],
            code: 1
        ),
        Attack(name: "a head between the pieces of a head", frames: [openHead, .request(3, path: "/up")], code: 1),
        Attack(name: "pieces without end", frames: [openHead] + Array(repeating: piece, count: 50), code: 11),
        Attack(
            name: "rapid reset",
            frames: (0..<300).flatMap { [.request(2 * $0 + 1, path: "/up"), .reset(2 * $0 + 1)] },
            code: 11
        ),
        Attack(name: "settings without end", frames: Array(repeating: .settings(), count: 5000), code: 11),
        Attack(name: "pings without end", frames: Array(repeating: ping, count: 5000), code: 11),
        Attack(name: "priorities without end", frames: Array(repeating: priority, count: 5000), code: 11),
        Attack(name: "trailers that stand for many", frames: trailers, code: 11),
        Attack(name: "credit by the byte", frames: Array(repeating: .credit(1), count: 5000), code: 11),
        Attack(
            name: "empty pieces of a body",
            frames: [.request(1, path: "/orders", method: "POST", ends: false)]
                + Array(repeating: .init(.data, stream: 1), count: 5000),
            code: 11
        ),
        Attack(
            name: "heads too large, one after the other",
            frames: (0..<60).flatMap { large(2 * $0 + 1) },
            code: 11
        ),
        Attack(name: "too much credit", frames: [.credit(0x7FFF_FFFF), .credit(0x7FFF_FFFF)], code: 3),
        Attack(name: "no credit", frames: [.credit(0)], code: 1),
        Attack(name: "body before a head", frames: [.init(.data, stream: 1, payload: [1])], code: 1),
        Attack(name: "stream of the server's", frames: [.request(2, path: "/up")], code: 1),
        Attack(name: "head on stream 0", frames: [.request(0, path: "/up")], code: 1),
        Attack(name: "reset of nothing", frames: [.reset(9)], code: 1),
        Attack(name: "push", frames: [.init(.pushPromise, flags: 4, stream: 1, payload: [0, 0, 0, 2])], code: 1),
        Attack(name: "frame too large", frames: [.init(.ping, payload: .init(repeating: 0, count: 20_000))], code: 6),
        Attack(name: "ping of a byte", frames: [.init(.ping, payload: [1])], code: 6),
        Attack(
            name: "name that no table has",
            frames: [.init(.headers, flags: 5, stream: 1, payload: [0xFF, 0x7F])],
            code: 9
        ),
        Attack(
            name: "table larger than agreed",
            frames: [.init(.headers, flags: 5, stream: 1, payload: [0x3F, 0xE1, 0xFF, 0x03])],
            code: 9
        ),
        Attack(name: "window larger than possible", frames: [.settings([(4, 0xFFFF_FFFF)])], code: 3),
    ]

    /// A head in two pieces, larger than one may be.
    private static func large(_ stream: UInt32, name: String = "x") -> [HTTP2Frame] {
        let fields = [(name, String(repeating: "x", count: 5000)), (name, String(repeating: "x", count: 5000))]
        var head = HTTP2Frame.request(stream, path: "/up", fields: fields)
        head.flags = HTTP2Frame.endStream
        let rest = HTTP2Frame.block(fields)
        return [head, .init(.continuation, flags: HTTP2Frame.endHeaders, stream: stream, payload: rest)]
    }

    /// One field of 4 KB goes into the table; each byte after it means that field again.
    private static var trailers: [HTTP2Frame] {
        let value = [UInt8](repeating: 120, count: 4000)
        let indexed = [0x40, 1, 97, 127, 0xA1, 0x1E] + value
        let block = indexed + [UInt8](repeating: 0xBE, count: 12_000)
        return [
            .request(1, path: "/orders", method: "POST", ends: false),
            .init(.headers, flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream, stream: 1, payload: block),
        ]
    }

    @Test(arguments: attacks) func endsWith(_ attack: Attack) throws {
        let fixture = try Fixture()
        fixture.receive(attack.frames)
        #expect(fixture.sent().last { $0.kind == .goAway }?.code == attack.code)
        #expect(!fixture.isOpen || fixture.session.isOver)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", String(repeating: "x", count: 30_000)])
    func whatIsNoPrefaceEnds(_ text: String) throws {
        let session = try #require(ServerSession())
        #expect(!Array(text.utf8).withUnsafeBytes { session.receive($0) })
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var name: String
        var frames: [HTTP2Frame]
        var testDescription: String { name }
    }

    private static func get(_ fields: [(String, String)]) -> [HTTP2Frame] { [.request(1, path: "/up", fields: fields)] }

    static let refusals = [
        Refusal(name: "CONNECT", frames: [.request(1, path: "/", method: "CONNECT")]),
        Refusal(
            name: "CONNECT to a host",
            frames: [
                .init(
                    .headers,
                    flags: 5,
                    stream: 1,
                    payload: HTTP2Frame.block([(":method", "CONNECT"), (":authority", "x:1")])
                )
            ]
        ),
        Refusal(name: "WebSocket over HTTP/2", frames: get([(":protocol", "websocket")])),
        Refusal(name: "upgrade", frames: get([("upgrade", "websocket")])),
        Refusal(name: "connection", frames: get([("connection", "upgrade")])),
        Refusal(name: "chunks", frames: get([("transfer-encoding", "chunked")])),
        Refusal(name: "name in capitals", frames: get([("Accept", "x")])),
        Refusal(name: "line break in a value", frames: get([("a", "b\r\nx-forwarded-for: 127.0.0.1")])),
        Refusal(name: "line break in a name", frames: get([("a\r\nb", "c")])),
        Refusal(name: "request in a path", frames: [.request(1, path: "/up HTTP/1.1\r\nHost: x\r\n\r\nGET /")]),
        Refusal(name: "two lengths", frames: get([("content-length", "1"), ("content-length", "2")])),
        Refusal(
            name: "less than announced",
            frames: [
                .request(1, path: "/orders", method: "POST", fields: [("content-length", "5")], ends: false),
                .init(.data, flags: 1, stream: 1, payload: [1]),
            ]
        ),
        Refusal(
            name: "more than announced",
            frames: [
                .request(1, path: "/orders", method: "POST", fields: [("content-length", "1")], ends: false),
                .init(.data, flags: 1, stream: 1, payload: [1, 2, 3]),
            ]
        ),
        Refusal(name: "head of 20 KiB", frames: large(1)),
        Refusal(name: "cookies of 20 KiB", frames: large(1, name: "cookie")),
        Refusal(name: "depends on itself with a bad path", frames: [.request(1, path: "up")]),
    ]

    /// The stream ends, and the connection goes on.
    @Test(arguments: refusals) func resets(_ refusal: Refusal) throws {
        let fixture = try Fixture()
        fixture.receive(refusal.frames)
        let sent = fixture.sent()
        #expect(sent.contains { $0.kind == .reset && $0.stream == 1 })
        let requests = fixture.session.takeEvents().filter { if case .request = $0 { true } else { false } }
        #expect(requests.isEmpty || refusal.frames.count > 1)
        fixture.receive([.request(3, path: "/up")])
        #expect(fixture.session.takeEvents().contains { if case .request(3, _) = $0 { true } else { false } })
    }

    @Test func refusesMoreStreamsThanItAllows() throws {
        let fixture = try Fixture()
        fixture.receive((0..<120).map { .request(2 * $0 + 1, path: "/streams") })
        let requests = fixture.session.takeEvents().filter { if case .request = $0 { true } else { false } }
        #expect(requests.count == ServerSession.streamLimit)
    }

    @Test func whatWasResetAtOnceMakesNoWork() throws {
        let fixture = try Fixture()
        fixture.receive([.request(1, path: "/up"), .reset(1), .request(3, path: "/up")])
        let events = fixture.session.takeEvents()
        #expect(events.contains(.closed(1)))
        #expect(events.filter { if case .request = $0 { true } else { false } }.count == 1)
    }

    /// As over a proxy that shares a connection among many visitors.
    @Test func pagesThatComeAndGoAreNoFlood() throws {
        let fixture = try Fixture()
        for number in 0..<5000 {
            let id = Int32(2 * number + 1)
            fixture.receive([.request(UInt32(id), path: "/streams")])
            try fixture.answer(id)
            fixture.receive([.reset(UInt32(id))])
        }
        #expect(fixture.isOpen && !fixture.session.isOver)
        #expect(fixture.session.answered.count <= 1)
    }

    /// A body is credited when it was consumed, and no sooner: a client can make us keep one window.
    @Test func creditFollowsConsumption() throws {
        let fixture = try Fixture()
        let data = HTTP2Frame(.data, stream: 1, payload: [UInt8](repeating: 1, count: 16_000))
        fixture.receive([.request(1, path: "/orders", method: "POST", ends: false)] + Array(repeating: data, count: 4))
        #expect(!fixture.sent().contains { $0.kind == .windowUpdate })
        fixture.session.consume(64_000, of: 1)
        #expect(fixture.sent().filter { $0.kind == .windowUpdate }.count == 2)
        fixture.receive(Array(repeating: data, count: 5))
        #expect(fixture.sent().contains { $0.kind == .goAway || $0.kind == .reset })
    }

    @Test func bodyAfterTheAnswerIsTakenWithinBounds() throws {
        let fixture = try Fixture()
        fixture.receive([.request(1, path: "/orders", method: "POST", ends: false)])
        try fixture.answer(1, status: 413, hasBody: false)
        let piece = HTTP2Frame(.data, stream: 1, payload: .init(repeating: 120, count: 16 << 10))
        for _ in 0..<64 {
            fixture.receive([piece])
            fixture.session.consume(16 << 10, of: 1)
            #expect(!fixture.sent().contains { $0.kind == .reset })
        }
        fixture.receive([piece])
        #expect(fixture.sent().first { $0.kind == .reset }?.code == 0)
        #expect(fixture.isOpen)
        #expect(fixture.session.unwanted.isEmpty)
    }

    /// Nothing is asked for while the client has no room.
    @Test func closedWindowAsksForNothing() throws {
        let tally = Tally()
        let fixture = try Fixture { _, buffer in
            tally.asked += buffer.count
            return .bytes(buffer.count, isLast: false)
        }
        fixture.receive([.request(1, path: "/up")])
        try fixture.answer(1)
        #expect(tally.asked == 65_535)
        fixture.receive([.credit(1000), .credit(1000, stream: 1)])
        _ = fixture.sent()
        #expect(tally.asked == 66_535)
    }

    @Test func goodbyeLetsRunningStreamsEnd() throws {
        let fixture = try Fixture { _, _ in .bytes(0, isLast: true) }
        fixture.receive([.request(1, path: "/up")])
        fixture.session.goAway()
        #expect(fixture.sent().contains { $0.kind == .goAway && $0.code == 0 })
        fixture.receive([.request(3, path: "/up")])
        #expect(!fixture.session.takeEvents().contains { if case .request(3, _) = $0 { true } else { false } })
        #expect(!fixture.session.isOver)
        try fixture.answer(1)
        #expect(fixture.session.isOver)
    }
}
