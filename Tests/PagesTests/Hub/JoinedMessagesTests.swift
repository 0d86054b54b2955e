import Domain
import Pages
import Testing

/// What a page gets that follows several streams over one connection.
@Suite struct JoinedMessagesTests {
    private let a, b: StreamName

    init() throws { (a, b) = (try #require(StreamName("a")), try #require(StreamName("b"))) }

    private func message(_ text: String, on stream: StreamName, at position: Int64?) -> Message {
        Message(stream: stream, position: position, parts: [Part(html: Array(text.utf8), collapseKey: nil)])
    }

    @Test func comeInOrderAndOneForEachEntry() {
        let union = StreamName.union(of: [a, b])
        let messages = [
            message("1", on: a, at: 1), message("3a", on: a, at: 3), message("healed", on: a, at: nil),
            message("2", on: b, at: 2), message("3b", on: b, at: 3), message("healed too", on: b, at: nil),
        ]
        let joined = messages.joined(on: union)
        #expect(joined.map(\.position) == [1, 2, 3, nil, nil])
        #expect(joined.map { String(decoding: $0.html, as: UTF8.self) } == ["1", "2", "3a3b", "healed", "healed too"])
        #expect(joined.allSatisfy { $0.stream == union })
    }

    /// Pages name them in any order; no page can name the union itself.
    @Test func unionsAreTheSameInAnyOrder() {
        #expect(StreamName.union(of: [a, b]) == .union(of: [b, a]))
        #expect(StreamName.union(of: [a, b]) != .union(of: [a]))
        #expect(StreamName(StreamName.union(of: [a, b]).text) == nil)
    }
}
