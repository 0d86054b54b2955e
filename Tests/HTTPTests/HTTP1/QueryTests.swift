import HTTP
import Testing

@Suite struct QueryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var query: String
        var name = "a"
        var value: String?
        var testDescription: String { query }
    }

    @Test(arguments: [
        Case(query: "a=b", value: "b"),
        Case(query: "", value: nil),
        Case(query: "b=a", value: nil),
        Case(query: "a", value: ""),
        Case(query: "a=", value: ""),
        Case(query: "a=b=c", value: "b=c"),
        Case(query: "a=1&a=2", value: "1"),
        Case(query: "&&a=1&", value: "1"),
        Case(query: "A=1", value: nil),
        Case(query: "aa=1", value: nil),
        Case(query: "=1", name: "", value: "1"),
        Case(query: "b=a=1", value: nil),
        Case(query: "b&a=1", value: "1"),
        Case(query: "a=b+c", value: "b c"),
        Case(query: "a=b%2Bc%20d", value: "b+c d"),
        Case(query: "%61=1", value: "1"),
        Case(query: "a%3D=1", name: "a=", value: "1"),
        Case(query: "a=%26b%3D2", value: "&b=2"),
        Case(query: "b=%26a%3D2", value: nil),
        Case(query: "a=%C3%A9%f0%9f%98%80", value: "é😀"),
        Case(query: "a=/?:@!$'()*,;", value: "/?:@!$'()*,;"),
        Case(query: "b=1;a=2", value: nil),
        Case(query: "a=%0d%0a", value: "\r\n"),
        // Equal to a composed letter for a reader, and another name for us.
        Case(query: "e%CC%81=1", name: "é", value: nil),
    ])
    func finds(_ one: Case) throws {
        let head = try RequestHead("GET /?\(one.query) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.query[one.name] == one.value)
        #expect(head.path == "/")
    }

    @Test func holdsNothingByItself() {
        #expect(Query()["a"] == nil)
    }
}
