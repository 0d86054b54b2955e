import Domain
import Support
import TestSupport
import Testing

@testable import Ledger

@Suite(.blocking) struct MissedFragmentsTests {
    @Test func exactAfterACursor() throws {
        let ledger = try ledgerBroadcasting(["replace a 1", "append b 2", "replace a 3"])
        defer { ledger.remove() }
        let missed = try ledger.missed("1", since: cursor(ledger, at: 1))
        #expect(missed.mode == .exact)
        #expect(missed.items.map(\.position) == [2, 3])
        #expect(missed.through == cursor(ledger, at: 3))
        #expect(try ledger.missed("1", since: cursor(ledger, at: 3)).items.isEmpty)
        #expect(try ledger.missed("2", since: cursor(ledger, at: 0)).items.isEmpty)
    }

    @Test func newestOfEachTargetWithoutACursor() throws {
        let ledger = try ledgerBroadcasting(["update b 1", "replace a 2", "append b 3", "replace a 4", "update c 5"])
        defer { ledger.remove() }
        let missed = try ledger.missed("1")
        #expect(missed.mode == .newest)
        #expect(missed.items.map(\.position) == [1, 4, 5])
        #expect(!missed.isUnknownCursor)
        #expect(try ledger.missed("nobody").items.isEmpty)
    }

    /// Each target has 100 KB, so two of four fit.
    @Test func newestOfManyTargetsAreKept() throws {
        let text = String(repeating: "x", count: 100_000)
        let ledger = try ledgerBroadcasting([
            "update d \(text)", "update a \(text)", "update c \(text)", "update b \(text)",
        ])
        defer { ledger.remove() }
        let cursors: [(since: Cursor?, isTruncated: Bool)] = [
            (nil, false), (Cursor("zzzzzzzz-1"), true), (cursor(ledger, at: 0), true),
        ]
        for (since, isTruncated) in cursors {
            let missed = try ledger.missed("1", since: since)
            #expect(missed.items.map(\.position) == [3, 4])
            #expect(missed.newest == 4 && missed.isTruncated == isTruncated)
        }
    }

    @Test(arguments: ["zzzzzzzz-1", "future"])
    func cursorThatIsNotOfThisLedger(_ text: String) throws {
        let ledger = try ledgerBroadcasting(["replace a 1", "replace a 2"])
        defer { ledger.remove() }
        let missed = try ledger.missed("1", since: Cursor(text) ?? cursor(ledger, at: 3))
        #expect(missed.isUnknownCursor)
        #expect(missed.items.map(\.position) == [2])
        #expect(try ledger.missed("nobody", since: Cursor(text) ?? cursor(ledger, at: 3)).items.isEmpty)
    }

    @Test(arguments: [false, true])
    func longAbsenceCollapses(withAppend: Bool) throws {
        let middle = withAppend ? ["append c 0"] : []
        let ledger = try ledgerBroadcasting(
            ["replace b 0", "replace d 0"] + (1...60).flatMap { ["replace a \($0)", "update b \($0)"] } + middle
        )
        defer { ledger.remove() }
        let missed = try ledger.missed("1", since: cursor(ledger, at: 2))
        #expect(missed.mode == .newest)
        #expect(missed.items.map(\.position) == [121, 122])
        #expect(missed.isTruncated == withAppend)
        #expect(!missed.isUnknownCursor)
        #expect(try ledger.missed("1", since: cursor(ledger, at: 30)).mode == .exact)
    }

    @Test func lostBroadcastsAreToldToThoseWhoSawThemLast() throws {
        let ledger = try ledgerBroadcasting(["replace a 1"])
        defer { ledger.remove() }
        #expect(try ledger.missed("1", since: cursor(ledger, at: 1)).lost == nil)
        for position in [Int64(2), 3] {
            let answer = Promise<Result<Cursor, LedgerError>>()
            #expect(ledger.writer.submit(.broadcastsLost { answer.fulfil($0) }))
            #expect(try answer.wait().get() == cursor(ledger, at: position))
        }
        #expect(try ledger.missed("1", since: cursor(ledger, at: 2)).lost == 3)
        #expect(try ledger.missed("nobody", since: cursor(ledger, at: 0)).lost == 3)
        #expect(try ledger.missed("1", since: cursor(ledger, at: 3)).lost == nil)
        #expect(try ledger.missed("1").lost == nil, "just rendered")
        #expect(try ledger.missed("1", since: Cursor("zzzzzzzz-1")).lost == nil, "of another ledger")
        #expect(ledger.committed.all.map(\.notice.kind) == [.broadcast, .broadcastsLost, .broadcastsLost])
    }

    @Test func entriesComeInPages() throws {
        let ledger = try ledgerBroadcasting(["replace a 1", "append b 2", "replace a 3"])
        defer { ledger.remove() }
        let page = try ledger.entries(after: 1, limit: 1)
        #expect(page.entries.map(\.position) == [2])
        #expect(page.entries.first?.fragments.map(\.action) == ["append"])
        #expect(page.head == cursor(ledger, at: 3))
        #expect(try ledger.entries(after: 3).entries.isEmpty)
    }

    private func ledgerBroadcasting(_ lines: [String]) throws -> TemporaryLedger {
        let ledger = try TemporaryLedger()
        let stream = try #require(StreamPattern.standard.stream(for: "1"))
        _ = try ledger.broadcast(
            lines.map { line in
                let words = line.split(separator: " ").map(String.init)
                return Fragment(stream: stream, action: words[0], target: words[1], content: .html(words[2]))
            }
        )
        return ledger
    }

    private func cursor(_ ledger: TemporaryLedger, at position: Int64) -> Cursor {
        Cursor(epoch: ledger.writer.epoch, position: position)
    }
}
