import Testing

@testable import Gateway

@Suite struct RequestParserTests {
    /// Each piece ends in the middle of a request, so the buffer is never empty.
    @Test func bufferOfRequestsThatArriveHalfAndHalfStaysSmall() {
        let body = String(repeating: "x", count: 10_000)
        let request = Array(
            "POST /broadcasts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: 10000\r\n\r\n\(body)"
                .utf8
        )
        let half = request.count / 2
        let piece = Array(request[half...] + request[..<half])
        var parser = RequestParser()
        var (answered, most) = (0, 0)
        _ = request[..<half].withUnsafeBytes { parser.append($0) }
        for _ in 0..<200 {
            let isTaken = piece.withUnsafeBytes { parser.append($0) }
            #expect(isTaken)
            if case .request = parser.next(RequestGate()) { answered += 1 }
            most = max(most, parser.heldBytes)
        }
        #expect(answered == 200)
        #expect(most < 128 << 10)
    }
}
