import Testing

@testable import Commands

@Suite struct EventStreamParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var data: [String]
        var lastEventID = ""
    }

    static let cases = [
        Case(testDescription: "line feeds", text: "id: e-1\ndata: a\n\n", data: ["a"], lastEventID: "e-1"),
        Case(testDescription: "returns", text: "id: e-1\rdata: a\r\r", data: ["a"], lastEventID: "e-1"),
        Case(testDescription: "both", text: "id: e-1\r\ndata: a\r\n\r\n", data: ["a"], lastEventID: "e-1"),
        Case(testDescription: "mixed", text: "data: a\r\n\ndata: b\r\r\n", data: ["a", "b"]),
        Case(testDescription: "several lines", text: "data: a\ndata:\ndata: b\n\n", data: ["a\n\nb"]),
        Case(testDescription: "one space is stripped", text: "data:  a\ndata:b\n\n", data: [" a\nb"]),
        Case(testDescription: "no colon", text: "data\n\n", data: [""]),
        Case(testDescription: "comments", text: ": hello\n\n:\ndata: a\n\n", data: ["a"]),
        Case(testDescription: "id alone", text: "id: e-7\n\n", data: [], lastEventID: "e-7"),
        Case(
            testDescription: "id of an unfinished block",
            text: "id: e-7\n\nid: e-8\ndata: a\n",
            data: [],
            lastEventID: "e-7"
        ),
        Case(testDescription: "id with NUL", text: "id: e-7\n\nid: e\u{0}8\n\n", data: [], lastEventID: "e-7"),
        Case(testDescription: "byte order mark", text: "\u{FEFF}data: a\n\n", data: ["a"]),
        Case(testDescription: "unknown fields", text: "retry: 100\nfoo: bar\ndata: a\n\n", data: ["a"]),
        Case(testDescription: "unfinished", text: "data: a\n\ndata: b", data: ["a"]),
        Case(testDescription: "not ASCII", text: "data: é→\n\n", data: ["é→"]),
    ]

    @Test(arguments: cases) func parsesWhole(_ example: Case) {
        var parser = EventStreamParser()
        #expect(parser.receive(example.text.utf8).map(\.data) == example.data)
        #expect(parser.lastEventID == example.lastEventID)
    }

    /// Wherever the network cuts, even inside CRLF or a character, the result is the same.
    @Test(arguments: cases) func parsesCutAnywhere(_ example: Case) {
        let bytes = Array(example.text.utf8)
        for cut in 0...bytes.count {
            var parser = EventStreamParser()
            let events = parser.receive(bytes[..<cut]) + parser.receive(bytes[cut...])
            #expect(events.map(\.data) == example.data, "cut at \(cut)")
            #expect(parser.lastEventID == example.lastEventID, "cut at \(cut)")
        }
    }

    @Test func eventsCarryTypeAndID() {
        var parser = EventStreamParser()
        let events = parser.receive("event: x\nid: e-1\ndata: a\n\ndata: b\n\n".utf8)
        let expected = [
            EventStreamParser.Event(type: "x", data: "a", id: "e-1", hasOwnID: true),
            EventStreamParser.Event(type: "message", data: "b", id: "e-1"),
        ]
        #expect(events == expected)
    }

    @Test func endlessLineIsNotKept() {
        var parser = EventStreamParser()
        let megabyte = [UInt8](repeating: 97, count: 1 << 20)
        for _ in 0..<5 { _ = parser.receive(megabyte) }
        #expect(parser.hasOverflowed)
        #expect(parser.receive("\n\ndata: a\n\n".utf8).isEmpty)
    }

    @Test func endlessEventIsNotKept() {
        var parser = EventStreamParser()
        let line = "data: " + String(repeating: "a", count: 1 << 20) + "\n"
        for _ in 0..<5 { _ = parser.receive(line.utf8) }
        #expect(parser.hasOverflowed)
    }
}
