import HTTP
import Testing

@Suite struct RequestBufferTests {
    /// Two requests with bodies that look like heads, an empty line between them, and one without a body.
    private static let stream = Array(
        """
        POST /a HTTP/1.1\r
        Host: a\r
        Content-Length: 37\r
        \r
        GET /evil HTTP/1.1\r\nHost: evil\r\n\r\nxyz\r
        POST /b HTTP/1.1\r
        Host: b\r
        Content-Length: 0\r
        \r
        GET /c HTTP/1.1\r
        Host: c\r
        \r

        """.utf8
    )

    private static func read(_ buffer: inout RequestBuffer) throws(HeadFlaw) -> [String] {
        var read: [String] = []
        while let head = try buffer.takeHead() {
            // The streams of these tests hold whole bodies where a head is whole.
            let body = buffer.takeBody(head.contentLength ?? 0).map { String(decoding: $0, as: UTF8.self) }
            read.append("\(head.path) \(head.host ?? "-") \(body ?? "-")")
        }
        return read
    }

    private static let requests = ["/a a GET /evil HTTP/1.1\r\nHost: evil\r\n\r\nxyz", "/b b ", "/c c "]

    @Test func readsWhatCameAtOnce() throws {
        var buffer = RequestBuffer()
        buffer.append(RequestBufferTests.stream)
        #expect(try RequestBufferTests.read(&buffer) == RequestBufferTests.requests)
        #expect(buffer.isEmpty)
    }

    @Test(arguments: [1, 2, 3, 5, 17, 64]) func readsWhatCameInPieces(_ size: Int) throws {
        var buffer = RequestBuffer()
        var read: [String] = []
        var head: RequestHead?
        let stream = RequestBufferTests.stream
        for start in stride(from: 0, to: stream.count, by: size) {
            buffer.append(stream[start...].prefix(size))
            while true {
                if head == nil { head = try buffer.takeHead() }
                guard let waiting = head, let body = buffer.takeBody(waiting.contentLength ?? 0) else { break }
                read.append("\(waiting.path) \(waiting.host ?? "-") \(String(decoding: body, as: UTF8.self))")
                head = nil
            }
        }
        #expect(read == RequestBufferTests.requests)
        #expect(buffer.isEmpty)
    }

    @Test func waitsForEachByte() throws {
        let head = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
        var buffer = RequestBuffer()
        for byte in head.utf8.dropLast() {
            buffer.append([byte])
            #expect(try buffer.takeHead() == nil)
        }
        buffer.append([10])
        #expect(try buffer.takeHead()?.host == "a")
        #expect(buffer.isEmpty)
    }

    @Test func waitsForTheWholeBody() {
        var buffer = RequestBuffer()
        buffer.append("hell".utf8)
        #expect(buffer.takeBody(5) == nil)
        #expect(buffer.takeBody(0) == [])
        #expect(buffer.takeBody(999_999_999_999_999_999) == nil)
        buffer.append("o, world".utf8)
        #expect(buffer.takeBody(5) == Array("hello".utf8))
        #expect(buffer.count == 7)
        #expect(buffer.takeAll() == Array(", world".utf8))
        #expect(buffer.isEmpty && buffer.takeAll() == [])
    }

    struct Beginning: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var flaw: HeadFlaw
        var testDescription: String { name }
    }

    /// None of these has the end of a head: whoever sent it would have to wait for a deadline, and see no reason.
    static let beginnings = [
        Beginning(name: "TLS", text: "\u{16}\u{3}\u{1}", flaw: .requestLine),
        Beginning(name: "a proxy's binary preface", text: "\r\n\r\n\0\r\nQUIT\n", flaw: .requestLine),
        Beginning(name: "a space", text: " ", flaw: .requestLine),
        Beginning(name: "two empty lines", text: "\r\n\r", flaw: .requestLine),
        Beginning(name: "a bare LF", text: "\n", flaw: .requestLine),
        Beginning(name: "HTTP/0.9", text: "GET /\r\n", flaw: .requestLine),
        Beginning(name: "HTTP/0.9 with LF only", text: "GET /\n", flaw: .controlCharacter),
        Beginning(name: "SSH", text: "SSH-2.0-OpenSSH_9.2\r\n", flaw: .requestLine),
        Beginning(name: "another version", text: "GET / HTTP/3.0\r\n", flaw: .version),
        Beginning(name: "another target", text: "GET up HTTP/1.1\r\n", flaw: .target),
        Beginning(name: "a bare CR", text: "GET /\r ", flaw: .controlCharacter),
        Beginning(name: "a NUL", text: "GET /\0", flaw: .controlCharacter),
        Beginning(name: "a fold", text: "GET / HTTP/1.1\r\nX: a\r\n b\r\n", flaw: .fieldLine),
        Beginning(name: "no colon", text: "GET / HTTP/1.1\r\nHost\r\n", flaw: .fieldLine),
        Beginning(name: "an empty name", text: "GET / HTTP/1.1\r\n: a\r\n", flaw: .fieldLine),
        Beginning(name: "a space before the colon", text: "GET / HTTP/1.1\r\nHost : a\r\n", flaw: .fieldLine),
        Beginning(name: "a header with LF only", text: "GET / HTTP/1.1\r\nHost: a\n", flaw: .controlCharacter),
        Beginning(name: "a control character", text: "GET / HTTP/1.1\r\nHost: \u{1B}", flaw: .controlCharacter),
        Beginning(
            name: "an endless first line",
            text: "GET /" + String(repeating: "a", count: RequestHead.lineLimit - 5 + 2),
            flaw: .targetTooLong
        ),
        Beginning(
            name: "an endless header",
            text: "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: RequestHead.sizeLimit - 16 - 3 + 1),
            flaw: .tooLarge
        ),
    ]

    @Test(arguments: beginnings) func saysAtOnceWhatCannotBecomeAHead(_ one: Beginning) {
        var whole = RequestBuffer()
        whole.append(one.text.utf8)
        #expect(throws: one.flaw) { try whole.takeHead() }
        var slow = RequestBuffer()
        #expect(throws: HeadFlaw.self) {
            for byte in one.text.utf8 {
                slow.append([byte])
                let head = try slow.takeHead()
                #expect(head == nil)
            }
        }
    }

    /// The last byte that may still wait, for each of the limits.
    @Test(arguments: beginnings.suffix(2)) func waitsUpToTheLimits(_ one: Beginning) throws {
        var buffer = RequestBuffer()
        buffer.append(one.text.utf8.dropLast())
        #expect(try buffer.takeHead() == nil)
    }

    @Test(arguments: [0, 1]) func limitsAWholeHead(_ excess: Int) throws {
        let start = "\r\nGET / HTTP/1.1\r\nHost: a\r\nX: "
        let room = RequestHead.sizeLimit + 2 - start.utf8.count - 4
        var buffer = RequestBuffer()
        buffer.append((start + String(repeating: "a", count: room + excess) + "\r\n\r\n").utf8)
        if excess > 0 {
            #expect(throws: HeadFlaw.tooLarge) { try buffer.takeHead() }
        } else {
            #expect(try buffer.takeHead() != nil)
        }
    }

    @Test func aFlawIsSaidAgain() {
        var buffer = RequestBuffer()
        buffer.append("GET / HTTP/1.1\r\nHost : a\r\n\r\n".utf8)
        for _ in 0..<2 { #expect(throws: HeadFlaw.fieldLine) { try buffer.takeHead() } }
    }

    /// Half of the next request is always there, so that the buffer is never empty.
    @Test func keepsLittleOfWhatHasBeenRead() throws {
        let request = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8)
        var buffer = RequestBuffer()
        buffer.append(request.prefix(20))
        for _ in 0..<20_000 {
            buffer.append(request.dropFirst(20) + request.prefix(20))
            #expect(try buffer.takeHead() != nil)
            #expect(buffer.takeBody(5) == Array("hello".utf8))
        }
        #expect(buffer.count == 20)
        #expect(buffer.capacity <= 256 << 10)
    }

    /// More than what is given back for being little: it is moved to where what has been read stood.
    @Test func keepsLittleWhenMuchWaits() throws {
        let body = String(repeating: "a", count: 30_000)
        let request = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n\(body)".utf8)
        var buffer = RequestBuffer()
        for _ in 0..<6 { buffer.append(request) }
        for _ in 0..<100 {
            buffer.append(request)
            #expect(try buffer.takeHead()?.contentLength == 30_000)
            #expect(buffer.takeBody(30_000)?.count == 30_000)
        }
        #expect(buffer.count == 6 * request.count)
        #expect(buffer.capacity <= 1 << 20)
    }

    @Test func givesLongBodiesBackWhenAHeadHasBegun() throws {
        var buffer = RequestBuffer()
        buffer.append("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 262144\r\n\r\n".utf8)
        #expect(try buffer.takeHead()?.contentLength == 262_144)
        for _ in 0..<64 { buffer.append([UInt8](repeating: 97, count: 4096)) }
        buffer.append("GET / HTTP/1.1\r\nHo".utf8)
        #expect(buffer.takeBody(262_144)?.count == 262_144)
        #expect(buffer.capacity <= 1024)
        buffer.append("st: b\r\n\r\n".utf8)
        #expect(try buffer.takeHead()?.host == "b")
    }

    @Test func isSmallWhenIdle() throws {
        var buffer = RequestBuffer()
        #expect(buffer.capacity == 0)
        for length in [10, 10_000] {
            buffer.append("GET /\(String(repeating: "a", count: length / 2)) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            #expect(try buffer.takeHead() != nil)
            #expect(buffer.capacity <= 1024)
        }
    }
}
