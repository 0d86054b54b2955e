import Domain
import Pages
import TestSupport
import Testing

@testable import API
@testable import Console

/// How the server is in one sentence, and what it has counted: as pictures, with the numbers behind each.
@Suite(.blocking) struct OverviewPageTests {
    private func overview(_ steps: [HistoryAnswer.Step]) throws -> String {
        let site = ConsoleTestSite(keys: [ConsoleEventTests.operations])
        let cookie = try site.logIn(ConsoleEventTests.operations)
        site.api.answer(.attention, with: ConsoleFixture.attention())
        site.api.answer(.history, with: HistoryAnswer(node: "n1", range: "hour", step: 60, steps: steps))
        return try site.send("/console", cookie: cookie).text
    }

    private static func step(
        _ minute: Int64,
        events: [String: [String: Int]] = [:],
        pages: [String: Int] = [:],
        seconds: Double? = nil
    ) -> HistoryAnswer.Step {
        HistoryAnswer.Step(
            at: Instant(milliseconds: minute * 60_000).iso8601,
            events: events,
            delays: [:],
            pageP50: seconds,
            pageP99: seconds,
            pages: pages,
            hookFailures: 0
        )
    }

    @Test func picturesHaveTheirNumbersBehindThem() throws {
        let steps = [
            Self.step(0, events: ["apple": ["applied": 3, "stale": 1]], pages: ["sse": 12], seconds: 0.0123),
            Self.step(1, events: ["google": ["applied": 1]]), Self.step(2),
        ]
        let text = try overview(steps)
        // Newest first, without the step that has none. 0 was counted.
        let rows =
            #"00:01 UTC</time></th><td class="number">0</td><td class="number">1</td></tr><tr><th scope="row">"#
            + #"<time datetime="1970-01-01T00:00:00.000Z">1 January 1970, 00:00 UTC</time></th><td class="number">4</td>"#
        for part in [
            rows, "<p>All is well: nothing needs anybody.", "<title>1 Jan 1970, 00:00 UTC, applied: 3</title>",
            "<title>1 Jan 1970, 00:00 UTC, Apple: 4</title>", "Server-Sent Events: 12</title>", "up to 4<",
            // One hour, though the node has counted for three minutes.
            "<svg viewBox=\"0 0 600 132\"", "<span>31 Dec 1969, 23:03 UTC</span><span>1 Jan 1970, 00:02 UTC</span>",
            "to the pages <span class=\"quiet-text\">up to 12.3 ms<",
            "its webhook, half within <span class=\"quiet-text\">nothing measured<",
            "backend that failed <span class=\"quiet-text\">none<",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        // By outcome, by store, to the pages, open pages: the others have no table, and no table has the last step.
        #expect(text.split(separator: "<summary>Numbers").count == 5, "\(text)")
        #expect(text.split(separator: "No step has a number other than 0.").count == 3, "\(text)")
        #expect(!text.contains("00:02 UTC</time>"), "\(text)")
    }
}
