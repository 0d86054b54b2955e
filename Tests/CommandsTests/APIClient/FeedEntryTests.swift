import Testing

@testable import Commands

@Suite struct FeedEntryTests {
    @Test func entryKeepsItsJSONOnOneLine() throws {
        let entry = try #require(FeedEntry(.init(type: "message", data: "{\"user\":\n\"4\\n2\"}", id: "e-3")))
        #expect(entry.json == #"{"user": "4\n2"}"#)
        #expect(entry["user"] == "4\n2")
        #expect(entry["cursor"] == "e-3")
        #expect(entry["type"] == nil)
    }

    @Test(arguments: ["", "[]", "{", "1"]) func isNoEntry(_ data: String) {
        #expect(FeedEntry(.init(type: "message", data: data, id: "e-3")) == nil)
    }
}
