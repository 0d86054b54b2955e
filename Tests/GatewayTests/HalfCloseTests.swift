import Gateway
import TestSupport
import Testing

/// A client may close its sending side behind its requests: each is still answered, in order, and then the connection
/// ends.
@Suite(.blocking) struct HalfCloseTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var requests: [String]
        /// How the answers end.
        var answers: [String]
        var testDescription: String { name }
    }

    private static let quick = "GET /up HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let long = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Another thread answers it.
    private static func slow(_ body: String) -> String {
        "POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static let cases = [
        Case(name: "one request", requests: [quick], answers: ["up\n"]),
        Case(name: "behind quick answers", requests: [quick, quick, quick], answers: ["up\n", "up\n", "up\n"]),
        Case(
            name: "behind answers of another thread",
            requests: [slow("1"), slow("22"), quick, slow("333")],
            answers: ["1 bytes\n", "2 bytes\n", "up\n", "3 bytes\n"]
        ),
        Case(
            name: "behind an answer that the kernel does not take at once",
            requests: [long, quick, slow("1")],
            answers: ["x", "up\n", "1 bytes\n"]
        ),
        Case(name: "half a request at the end", requests: [slow("1"), "GET /up HT"], answers: ["1 bytes\n"]),
    ]

    @Test(arguments: cases) func everyRequestIsAnswered(_ example: Case) throws {
        let server = try ScriptedGateway()
        let socket = try server.connect()
        try socket.send(example.requests.joined())
        socket.finishSending()
        expect(try socket.readToEnd(), of: example)
    }

    @Test(arguments: cases) func everyRequestIsAnsweredOverTLS(_ example: Case) throws {
        let server = try ScriptedGateway(certificate: TemporaryCertificate())
        let client = try TLSClient(port: server.gateway.port)
        try client.send(example.requests.joined())
        try client.finishSending()
        expect(try client.readToEnd().bytes, of: example)
    }

    private func expect(_ bytes: [UInt8], of example: Case) {
        let answers = String(decoding: bytes, as: UTF8.self).split(separator: "HTTP/1.1 ")
        #expect(answers.count == example.answers.count)
        for (answer, end) in zip(answers, example.answers) {
            let isRight = answer.hasPrefix("200 ") && answer.hasSuffix(end)
            #expect(isRight, "\(end)")
        }
    }
}
