import Support
import TestSupport
import Testing

/// Bodies over HTTP/2 that nobody asked for: they are dropped, they are credited, and they are never taken for a request.
@Suite(.blocking) struct HTTP2BodyTests {
    /// Of the settings: the client takes no byte of an answer, so that the stream stays open.
    private static let shut: [(id: UInt16, value: UInt32)] = [(id: 4, value: 0)]

    struct Case: Sendable, CustomTestStringConvertible {
        var path: String
        var answer: String
        var isWhole = true
        var testDescription: String { path }
    }

    static let cases = [
        Case(path: "/up", answer: "up\n"),
        Case(path: "/streams?name=x", answer: "id: test-7\n\n", isWhole: false),
    ]

    @Test(arguments: cases) func isDroppedAndTheAnswerArrives(_ example: Case) throws {
        let fixture = try HTTP2Fixture()
        let client = try fixture.connect(HTTP2BodyTests.shut)
        try client.send(.request(1, path: example.path, ends: false))
        var upload = Upload(on: 1, of: client)
        let request = String(repeating: "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", count: 400)
        try upload.send(Array(request.utf8), times: 15)
        try client.send(.credit(100_000, stream: 1))
        var text = ""
        var isOver = false
        while !text.contains(example.answer) || isOver != example.isWhole {
            let frame = try client.frame()
            #expect(frame.kind != .reset)
            guard frame.kind == .data else { continue }
            text += String(decoding: frame.payload, as: UTF8.self)
            isOver = frame.flags & HTTP2Frame.endStream != 0
        }
        #expect(example.isWhole ? text == example.answer : text.withoutHeartbeats.hasSuffix(example.answer))
        let page = fixture.server.metrics.page()
        #expect(page.contains("paycast_http_responses_total{class=\"4xx\"} 0\n"))
        try client.send(.request(3, path: "/up"), .credit(100, stream: 3))
        #expect(try client.text(3, until: "up\n") == "up\n")
    }

    /// A process of its own, where nothing else takes memory.
    private func server(_ certificate: TemporaryCertificate, _ folder: TemporaryFolder) throws -> PaycastServer {
        try PaycastServer(
            certificate.settings,
            publicFolder: folder.path("public"),
            environment: ["PAYCAST_API_KEY": "key-key-key-key-key", "PAYCAST_STREAM_KEYS": "stream-stream-stream"]
        )
    }

    /// A client that takes nothing opens as many streams as it may: the server holds one description of 190 KB for all.
    @Test func answersOfManyStreamsAreOne() throws {
        let (certificate, folder) = (try TemporaryCertificate(), TemporaryFolder())
        folder.write("x", to: "public/x.txt")
        let server = try server(certificate, folder)
        func open(_ count: UInt32) throws -> HTTP2Client {
            let client = try HTTP2Client(port: server.port, settings: HTTP2BodyTests.shut)
            for number in 0..<count { try client.send(.request(2 * number + 1, path: "/openapi.json")) }
            for number in 0..<count { _ = try client.frame(.headers, stream: 2 * number + 1) }
            return client
        }
        var held = [try open(1)]
        let before = try #require(server.process.residentBytes)
        for _ in 0..<5 { held.append(try open(100)) }
        #expect(try #require(server.process.residentBytes) - before < 20 << 20)
        withExtendedLifetime(held) {}
    }

    /// 64 KB each: the first 65 streams have 4 MiB together.
    @Test func bodiesThatArriveAreBoundedForAClient() throws {
        let fixture = try HTTP2Fixture()
        let client = try fixture.connect()
        var upload = Upload(on: 1, of: client)
        let length = [("content-length", "200000")]
        var begun = 0
        #expect(throws: RawSocketError.self) {
            for number in 0..<100 {
                upload.begin(UInt32(2 * number + 1))
                try client.send(.request(upload.stream, path: "/orders", method: "POST", fields: length, ends: false))
                try upload.send([UInt8](repeating: 120, count: 16_000), times: 4)
                begun = number + 1
            }
        }
        #expect((60...70).contains(begun))
        try fixture.expectHealth()
    }

    /// While an answer goes out piece by piece.
    @Test func takesNoMemory() throws {
        let (certificate, folder) = (try TemporaryCertificate(), TemporaryFolder())
        folder.write(String(repeating: "x", count: 100_000), to: "public/long.txt")
        let server = try server(certificate, folder)
        let client = try HTTP2Client(port: server.port, settings: HTTP2BodyTests.shut)
        try client.send(.request(1, path: "/long.txt", ends: false))
        var upload = Upload(on: 1, of: client)
        let piece = [UInt8](repeating: 120, count: 16_000)
        // What the first bytes need, and what is kept.
        try upload.send(piece, times: 100)
        let before = try #require(server.process.residentBytes)
        try upload.send(piece, times: 3000)
        #expect(try #require(server.process.residentBytes) - before < 12 << 20)
        // The answer was on its way all the time.
        try client.send(.credit(1_000_000), .credit(1_000_000, stream: 1))
        while try client.frame(.data, stream: 1).flags & HTTP2Frame.endStream == 0 {}
    }
}

/// The bodies of requests, one after the other, sent within the credit that the server gives.
private struct Upload {
    let client: HTTP2Client
    private(set) var stream: UInt32
    /// Of the connection, and of the stream (RFC 9113 §6.9.2).
    private var credit = [65_535, 65_535]

    init(on stream: UInt32, of client: HTTP2Client) {
        self.stream = stream
        self.client = client
    }

    mutating func begin(_ stream: UInt32) {
        self.stream = stream
        credit[1] = 65_535
    }

    /// Returns when all has been sent: it waits for credit, and throws when the server has reset the stream.
    mutating func send(_ piece: [UInt8], times: Int) throws {
        for _ in 0..<times {
            while credit[0] < piece.count || credit[1] < piece.count { try take(client.frame()) }
            credit = credit.map { $0 - piece.count }
            try client.send(HTTP2Frame(.data, stream: stream, payload: piece))
        }
    }

    private mutating func take(_ frame: HTTP2Frame) throws {
        guard frame.kind != .reset, frame.kind != .goAway else { throw RawSocketError.closed }
        guard frame.kind == .windowUpdate, [0, stream].contains(frame.stream) else { return }
        credit[frame.stream == 0 ? 0 : 1] += frame.payload.reduce(0) { $0 << 8 | Int($1) }
    }
}
