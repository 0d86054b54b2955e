import Testing

@testable import HTTP2

@Suite struct AnswerReaderTests {
    /// What a stream would send of `pieces`, read one at a time, and how it ends.
    private static func body(_ pieces: [String], isHead: Bool = false) -> (text: String, end: Pull)? {
        var reader = AnswerReader(isHead: isHead)
        var rest = pieces[...]
        while let piece = rest.popFirst() {
            switch Array(piece.utf8).withUnsafeBytes({ reader.receive($0) }) {
            case .broken: return nil
            case .incomplete: continue
            case .ready: break
            }
            break
        }
        guard reader.head != nil else { return nil }
        guard reader.hasBody else { return ("", .bytes(0, isLast: true)) }
        var text = ""
        while true {
            var bytes = [UInt8](repeating: 0, count: 7)
            let pull = bytes.withUnsafeMutableBytes { bytes in
                reader.pull(into: bytes) { room in
                    guard let piece = rest.popFirst() else { return .end }
                    let part = piece.utf8.prefix(room.count)
                    room.copyBytes(from: part)
                    if part.count < piece.utf8.count {
                        rest.insert(String(piece.dropFirst(part.count)), at: rest.startIndex)
                    }
                    return .bytes(part.count)
                }
            }
            guard case .bytes(let count, let isLast) = pull else { return (text, pull) }
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
            if isLast { return (text, .bytes(0, isLast: true)) }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var pieces: [String]
        var isHead = false
        var text: String?
        var isBroken = false
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "length", pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"], text: "hello"),
        Case(
            name: "in pieces",
            pieces: ["HTTP/1.1 200 OK\r\nContent-", "Length: 11\r\n\r", "\nhello", " wor", "ld"],
            text: "hello world"
        ),
        Case(name: "until the end", pieces: ["HTTP/1.1 200 OK\r\n\r\n", "a", "b", "cdefghijkl"], text: "abcdefghijkl"),
        Case(name: "no body", pieces: ["HTTP/1.1 204 No Content\r\n\r\n"], text: ""),
        Case(name: "HEAD", pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"], isHead: true, text: ""),
        Case(name: "not modified", pieces: ["HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"], text: ""),
        Case(name: "empty", pieces: ["HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"], text: ""),
        Case(name: "more than announced", pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello"], text: "he"),
        Case(
            name: "less than announced",
            pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"],
            text: "hello",
            isBroken: true
        ),
        Case(
            name: "chunks, which no loop writes",
            pieces: ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"]
        ),
        Case(name: "interim answer", pieces: ["HTTP/1.1 100 Continue\r\n\r\n"]),
        Case(name: "upgrade", pieces: ["HTTP/1.1 101 Switching Protocols\r\n\r\n"]),
        Case(name: "no HTTP", pieces: ["hello\r\n\r\n"]),
        Case(name: "line without a colon", pieces: ["HTTP/1.1 200 OK\r\nhello\r\n\r\n"]),
        Case(name: "length that is none", pieces: ["HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"]),
        Case(name: "head that never ends", pieces: ["HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 20_000)]),
    ]

    @Test(arguments: cases) func reads(_ one: Case) {
        let body = AnswerReaderTests.body(one.pieces, isHead: one.isHead)
        #expect(body?.text == one.text)
        #expect((body?.end == .broken) == one.isBroken)
    }

    @Test func headLosesWhatIsAboutTheConnection() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\nX:y\r\nContent-Length: 3"
        let head = try #require(ResponseHead(text.utf8))
        #expect(head.fields.map(\.name) == ["content-type", "x", "content-length"])
        #expect(head.fields.map(\.value) == ["text/plain", "y", "3"])
    }
}
