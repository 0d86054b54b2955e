import Domain
import Testing

@testable import Pages

@Suite struct EventStreamTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var data: String
        var event: String
        var testDescription: String { data.debugDescription }
    }

    @Test(arguments: [
        Case(data: "<p>a</p>", event: "id: e-9\ndata: <p>a</p>\n\n"),
        Case(data: "a\nb", event: "id: e-9\ndata: a\ndata: b\n\n"),
        Case(data: "a\r\nb\rc", event: "id: e-9\ndata: a\ndata: b\ndata: c\n\n"),
        Case(data: "a\n\nid: forged\n", event: "id: e-9\ndata: a\ndata: \ndata: id: forged\ndata: \n\n"),
        Case(data: "", event: "id: e-9\ndata: \n\n"),
    ]) func lineBreaksBecomeDataLines(_ given: Case) {
        let bytes = EventStream.event(Array(given.data.utf8), cursor: Cursor(epoch: "e", position: 9))
        #expect(String(decoding: bytes, as: UTF8.self) == given.event)
    }

    @Test func transientEventHasNoID() {
        #expect(String(decoding: EventStream.event([97], cursor: nil), as: UTF8.self) == "data: a\n\n")
    }
}
