import Testing

@testable import Commands

@Suite struct TimeArgumentTests {
    @Test(arguments: ["2026-01-31", "2026-01-31T12:00:00Z", "1h", "7d", "90m"]) func momentsAreRead(_ text: String) {
        #expect(timeArgument(text) != nil)
    }

    @Test(arguments: ["", "yesterday", "2026-02-30", "1", "e-1"]) func otherWordsAreNot(_ text: String) {
        #expect(timeArgument(text) == nil)
    }
}
