import Domain
import Testing

@Suite struct TraceIDTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var header: String
        var isRead = false
    }

    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test(arguments: [
        Case(testDescription: "sampled", header: "00-\(trace)-\(parent)-01", isRead: true),
        Case(testDescription: "not sampled", header: "00-\(trace)-\(parent)-00", isRead: true),
        Case(testDescription: "flags of later", header: "00-\(trace)-\(parent)-ff", isRead: true),
        Case(testDescription: "a later version", header: "cc-\(trace)-\(parent)-01", isRead: true),
        Case(testDescription: "a later version with more", header: "cc-\(trace)-\(parent)-01-what", isRead: true),
        Case(testDescription: "a later version that runs on", header: "cc-\(trace)-\(parent)-01what"),
        Case(testDescription: "this version with more", header: "00-\(trace)-\(parent)-01-what"),
        Case(testDescription: "a version that is never given", header: "ff-\(trace)-\(parent)-01"),
        Case(testDescription: "no trace", header: "00-\(String(repeating: "0", count: 32))-\(parent)-01"),
        Case(testDescription: "no parent", header: "00-\(trace)-0000000000000000-01"),
        Case(testDescription: "upper case", header: "00-\(trace.uppercased())-\(parent)-01"),
        Case(testDescription: "a letter too many in it", header: "00-\(trace)a-\(parent)-01"),
        Case(testDescription: "one too few", header: "00-\(trace.dropLast())-\(parent)-01"),
        Case(testDescription: "no hexadecimal digit", header: "00-\(trace.dropLast())g-\(parent)-01"),
        Case(testDescription: "flags of one digit", header: "00-\(trace)-\(parent)-1"),
        Case(testDescription: "other dashes", header: "00_\(trace)_\(parent)_01"),
        Case(testDescription: "two of them", header: "00-\(trace)-\(parent)-01, 00-\(trace)-\(parent)-01"),
        Case(testDescription: "a later version twice", header: "cc-\(trace)-\(parent)-01, cc-\(trace)-\(parent)-01"),
        Case(testDescription: "letters of more bytes", header: "00-\(trace.dropLast(2))é-\(parent)-01"),
        Case(testDescription: "nothing", header: ""),
    ]) func readsTheHeader(_ example: Case) {
        #expect(TraceID(traceparent: example.header)?.description == (example.isRead ? Self.trace : nil))
    }
}
