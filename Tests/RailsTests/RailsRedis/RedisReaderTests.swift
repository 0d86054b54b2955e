import Testing

@testable import Rails

/// Bytes that a server may send, Redis or not.
@Suite struct RedisReaderTests {
    /// Feeds the parts one after the other, and takes what is complete after each.
    private func replies(_ parts: [String]) throws -> [RedisReply] {
        let reader = try RedisReader()
        var replies: [RedisReply] = []
        for part in parts {
            try Array(part.utf8).withUnsafeBytes { bytes in try reader.feed(bytes) }
            while let reply = try reader.next() { replies.append(reply) }
        }
        return replies
    }

    struct Taken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var replies: [RedisReply]
    }

    private static let message = "*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$1\r\ns\r\n$3\r\n\"a\"\r\n"
    private static let parts = ["pmessage", "*", "s", "\"a\""].map { Array($0.utf8) as [UInt8]? }

    @Test(arguments: [
        Taken(testDescription: "a broadcast", text: message, replies: [.list(parts)]),
        Taken(testDescription: "two", text: message + message, replies: [.list(parts), .list(parts)]),
        Taken(
            testDescription: "a confirmation",
            text: "*3\r\n$10\r\npsubscribe\r\n$1\r\n*\r\n:1\r\n",
            replies: [.list([Array("psubscribe".utf8), Array("*".utf8), nil])]
        ),
        Taken(testDescription: "nothing in it", text: "*0\r\n*-1\r\n$-1\r\n", replies: [.list([]), .other, .other]),
        Taken(testDescription: "an error", text: "-NOAUTH s3cret\r\n", replies: [.error(code: "NOAUTH")]),
        Taken(testDescription: "a status and a number", text: "+OK\r\n:2\r\n", replies: [.other, .other]),
    ]) func takesWhatRedisSends(_ given: Taken) throws {
        #expect(try replies([given.text]) == given.replies)
        #expect(try replies(given.text.map { String($0) }) == given.replies, "byte by byte")
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var parts: [String]
        var problem = BroadcastProblem.notRedis
    }

    /// 1 MiB, again and again.
    private static let flood = Array(repeating: String(repeating: "1", count: 1 << 20), count: 17)

    @Test(arguments: [
        Refused(testDescription: "five elements", parts: ["*5\r\n"]),
        Refused(testDescription: "a hundred million elements", parts: ["*100000000\r\n:1\r\n"]),
        Refused(testDescription: "an array in an array", parts: ["*1\r\n*1\r\n:1\r\n"]),
        Refused(testDescription: "a status without an end", parts: ["+"] + flood),
        Refused(testDescription: "a number without an end", parts: [":"] + flood),
        Refused(testDescription: "a length without an end", parts: ["$"] + flood),
        Refused(testDescription: "a count without an end", parts: ["*"] + flood),
        Refused(testDescription: "half a line's end", parts: ["+\r"] + flood),
        Refused(testDescription: "another protocol", parts: ["HTTP/1.1 400 Bad Request\r\n"]),
        Refused(testDescription: "more than 16 MiB", parts: ["$20000000\r\n"] + flood, problem: .tooMuch),
    ]) func refusesWhatHasNoBound(_ given: Refused) {
        #expect(throws: given.problem) { try replies(given.parts) }
    }
}
