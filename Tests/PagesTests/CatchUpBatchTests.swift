import Domain
import Testing

@testable import Pages

/// What is left of what a page missed: each case in words, `POSITION:KEY`, `refresh` for what reloads the page.
@Suite struct CatchUpBatchTests {
    struct Case: Sendable, CustomStringConvertible {
        var name: String
        var missed: String
        /// Refreshes of later entries are news.
        var seen: Int64 = 0
        var left: String
        var description: String { name }
    }

    @Test(arguments: [
        Case(name: "the newest of each target", missed: "1:a 2:a 3:b 4:a", left: "3:b 4:a"),
        Case(name: "what nothing replaces stays", missed: "1: 2:a 3: 4:a", left: "1: 3: 4:a"),
        Case(name: "two refreshes are one", missed: "1:refresh 2:a 3:refresh", left: "2:a 3:refresh"),
        Case(name: "a refresh stands for a state", missed: "1:a 2:refresh/a", left: "2:refresh/a"),
        Case(name: "a state replaces one that had no template", missed: "1:refresh/a 2:a", left: "2:a"),
        Case(name: "of both targets", missed: "1:a 1:b 2:refresh/a 2:refresh/b 3:a", left: "2:refresh/b 3:a"),
        Case(name: "no news", missed: "1:a 2:refresh 3:b", seen: 2, left: "1:a 3:b"),
        Case(name: "an old state does not come back for it", missed: "1:a 2:refresh/a", seen: 2, left: ""),
        Case(name: "without a position", missed: "1:a 0:refresh", seen: 0, left: "1:a"),
    ]) func leavesOutWhatIsSuperfluous(_ example: Case) throws {
        let stream = try #require(StreamName("room:1"))
        let messages = example.missed.split(separator: " ").map { word in
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let (position, text) = (Int64(parts[0]) ?? 0, String(parts.last ?? ""))
            let isRefresh = text.hasPrefix("refresh")
            let key = isRefresh ? text.split(separator: "/").dropFirst().first.map(String.init) : text
            let html = Array((isRefresh ? "refresh" : text).utf8)
            let part = Part(
                html: html,
                collapseKey: key.flatMap { $0.isEmpty ? nil : CollapseKey($0) },
                isRefresh: isRefresh
            )
            return Message(stream: stream, position: position == 0 ? nil : position, parts: [part])
        }
        let missed = CatchUpBatch(through: 9, messages: messages).collapsed.withRefreshes(after: example.seen)
        let left = missed.messages.flatMap { message in
            message.parts.map { part in
                let key =
                    part.isRefresh ? part.collapseKey.map { "refresh/\($0.text)" } ?? "refresh" : part.collapseKey?.text
                return "\(message.position ?? 0):\(key ?? "")"
            }
        }
        #expect(left.joined(separator: " ") == example.left)
        #expect(missed.through == 9)
    }
}
