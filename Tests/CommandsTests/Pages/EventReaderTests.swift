import HTTPClient
import Testing

@testable import Commands

/// What `tail --over sse` reads of a page's event stream.
@Suite struct EventReaderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var stream: String
        /// Each message with its cursor, if it has one of its own.
        var messages: [String]
    }

    @Test(
        arguments: [
            Case(testDescription: "committed", stream: "id: a-1\n\nid: a-2\ndata: x\n\n", messages: ["x a-2"]),
            Case(testDescription: "transient", stream: "id: a-1\n\ndata: x\n\n", messages: ["x -"]),
            Case(
                testDescription: "transient after a committed one",
                stream: "id: a-1\n\nid: a-2\ndata: x\n\ndata: y\n\nid: a-3\ndata: z\n\n",
                messages: ["x a-2", "y -", "z a-3"]
            ),
            Case(testDescription: "another server's", stream: "data: x\n\n", messages: ["x -"]),
        ],
        [1, 1000]
    )
    func messagesHaveTheirOwnCursors(_ given: Case, step: Int) {
        var reader = EventReader(page: nil)
        var messages: [String] = []
        let bytes = Array(given.stream.utf8)
        for start in stride(from: 0, to: bytes.count, by: step) {
            _ = bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { bytes in
                reader.received(bytes) { event in
                    if case .message(let html, let cursor) = event { messages.append("\(html) \(cursor ?? "-")") }
                    return true
                }
            }
        }
        #expect(messages == given.messages)
    }
}
