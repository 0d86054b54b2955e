import Gateway
import HTTP
import Support
import TestSupport
import Testing

/// Clients that give nothing, take nothing, or too much. What a single frame does wrong is in `ServerSessionTests`.
@Suite(.serialized, .blocking) struct HTTP2AttackTests {
    private static func limits(_ change: (inout Limits) -> Void) -> Limits {
        var limits = Limits()
        change(&limits)
        return limits
    }

    struct Flood: Sendable, CustomTestStringConvertible {
        var name: String
        var frames: [HTTP2Frame]
        var testDescription: String { name }
    }

    private static let openHead = HTTP2Frame(.headers, stream: 1, payload: HTTP2Frame.request(1, path: "/up").payload)

    static let floods = [
        Flood(
            name: "resets",
            frames: (0..<500).flatMap { [.request(2 * $0 + 1, path: "/streams?name=x"), .reset(2 * $0 + 1)] }
        ),
        Flood(name: "settings", frames: Array(repeating: .settings(), count: 20_000)),
        Flood(
            name: "pings",
            frames: Array(repeating: .init(.ping, payload: .init(repeating: 1, count: 8)), count: 20_000)
        ),
        Flood(
            name: "pieces of a head",
            frames: [openHead]
                + Array(repeating: .init(.continuation, stream: 1, payload: HTTP2Frame.block([("a", "b")])), count: 50)
        ),
        // libwebsockets, which does not read these frames here, would read freed memory.
        Flood(
            name: "a priority in the middle of a head",
            frames: [openHead, .init(.priority, stream: 1, payload: [0, 0, 0, 0, 16]), .request(3, path: "/up")]
        ),
        Flood(
            name: "garbage behind the preface",
            frames: [.init(type: 255, flags: 255, stream: .max, payload: .init(repeating: 255, count: 60_000))]
        ),
    ]

    @Test(arguments: floods) func endsTheConnectionAndNobodyElses(_ flood: Flood) throws {
        let fixture = try HTTP2Fixture()
        let other = try fixture.connect()
        try fixture.openPage(1, on: other)
        let client = try fixture.connect()
        try? client.socket.send(flood.frames.flatMap(\.bytes))
        _ = try client.framesToEnd()
        try fixture.waitFor("paycast_http2_connections 1")
        try fixture.waitFor("paycast_http2_streams 1")
        try fixture.publish("hello")
        #expect(try other.text(1, until: "\n\n") == "data: hello\n\n")
        try fixture.expectHealth()
    }

    @Test func rapidResetIsCountedAsAbuse() throws {
        let fixture = try HTTP2Fixture()
        let client = try fixture.connect()
        try? client.socket.send(HTTP2AttackTests.floods[0].frames.flatMap(\.bytes))
        try fixture.waitFor("paycast_http2_abusive_total 1")
    }

    /// Its window stays shut: the loop's rule for slow readers cuts the page, and its memory stays bounded.
    @Test func slowPageIsClosedAndOthersMissNothing() throws {
        let fixture = try HTTP2Fixture(loops: 1)  // or the loop of the slow page may itself be behind
        let (slow, fast) = (try fixture.connect(), try fixture.connect())
        try fixture.openPage(1, on: slow)
        try fixture.openPage(1, on: fast)
        let filling = String(repeating: "x", count: 60_000)
        var number = 0
        while !fixture.server.metrics.page().contains("paycast_slow_closed_total 1\n"), number < 200 {
            try fixture.publish("\(number) \(filling)")
            #expect(try fast.text(1, until: "\n\n").hasPrefix("data: \(number) "))
            try fast.send(.credit(70_000), .credit(70_000, stream: 1))
            number += 1
        }
        #expect(number < 20, "the slow page was closed late: \(number) messages of 60 KB")
        withExtendedLifetime(slow) {}
    }

    /// A stream without any room, for ever.
    @Test func shutWindowHasADeadline() throws {
        let fixture = try HTTP2Fixture(limits: HTTP2AttackTests.limits { $0.writeSeconds = 1 })
        let client = try fixture.connect([(id: 4, value: 0)])
        try client.send(.request(1, path: "/metrics"), .request(3, path: "/up"))
        var resets: [UInt32: UInt32] = [:]
        while resets.count < 2 {
            let frame = try client.frame()
            if frame.kind == .reset { resets[frame.stream] = frame.code }
        }
        #expect(resets == [1: 8, 3: 8])
        try fixture.waitFor("paycast_http2_streams 0")
    }

    /// An upload that was answered long ago, and never ends.
    @Test func bodyThatNobodyWantsHasADeadline() throws {
        let fixture = try HTTP2Fixture(limits: HTTP2AttackTests.limits { $0.writeSeconds = 1 })
        let client = try fixture.connect()
        try client.send(
            .request(1, path: "/orders", method: "POST", fields: [("content-length", "900000")], ends: false)
        )
        #expect(try client.frame(.reset, stream: 1).code == 8)
        try fixture.waitFor("paycast_http2_streams 0")
    }

    /// A client that asks and never reads its socket. Its last frames may still fit into the kernel's buffer: then it is
    /// idle.
    @Test func connectionThatTakesNothingHasADeadline() throws {
        let fixture = try HTTP2Fixture(
            limits: HTTP2AttackTests.limits {
                $0.writeSeconds = 1
                $0.idleSeconds = 1
            }
        )
        let client = try fixture.connect([(id: 4, value: 0x7FFF_FFFF)])
        try client.send(.credit(0x7FFF_0000), .request(1, path: "/metrics"))
        try fixture.waitFor("paycast_http2_connections 1")
        try fixture.waitFor("paycast_http2_connections 0")
        try fixture.waitFor("paycast_connections 0")
        withExtendedLifetime(client) {}
    }

    struct Stall: Sendable, CustomTestStringConvertible {
        var name: String
        var frames: [HTTP2Frame]
        var testDescription: String { name }
    }

    static let stalls = [
        Stall(name: "after the preface", frames: []),
        Stall(name: "in a head", frames: [openHead]),
        Stall(name: "between two requests", frames: [.request(1, path: "/up")]),
    ]

    @Test(arguments: stalls) func stalledConnectionIsClosed(_ stall: Stall) throws {
        let fixture = try HTTP2Fixture(
            limits: HTTP2AttackTests.limits {
                $0.headerSeconds = 1
                $0.idleSeconds = 1
            }
        )
        let client = try fixture.connect()
        try client.socket.send(stall.frames.flatMap(\.bytes))
        _ = try client.framesToEnd()
        try fixture.waitFor("paycast_http2_connections 0")
    }

    @Test func bodyThatStallsIsReset() throws {
        let fixture = try HTTP2Fixture(limits: HTTP2AttackTests.limits { $0.bodySeconds = 1 })
        let client = try fixture.connect()
        try client.send(.request(1, path: "/orders", method: "POST", fields: [("content-length", "500")], ends: false))
        #expect(try client.frame(.reset, stream: 1).code == 8)
    }

    /// Each stream counts, and those beyond the limit are told to come back.
    @Test func streamsCountAsConnections() throws {
        let fixture = try HTTP2Fixture(limits: HTTP2AttackTests.limits { $0.connections = 5 })
        let client = try fixture.connect()
        // One for the connection, one for each page.
        for stream in [1, 3, 5, 7] as [UInt32] { try fixture.openPage(stream, on: client) }
        try client.send(.request(9, path: "/streams?name=x"))
        #expect(try client.text(9, until: "\n\n").hasPrefix("retry: "))
        #expect(fixture.server.metrics.page().contains("paycast_pages{transport=\"sse\"} 4\n"))
    }

    @Test func idlePagesKeepNoThreadBusy() throws {
        let fixture = try HTTP2Fixture(loops: 1)
        let client = try fixture.connect()
        for stream in [1, 3, 5] as [UInt32] { try fixture.openPage(stream, on: client) }
        let before = cpuTicks(of: fixture.server.gateway)
        _ = try? RawSocket(port: fixture.port, timeout: .milliseconds(500)).readSome()
        #expect(cpuTicks(of: fixture.server.gateway) - before < 15)
    }
}
