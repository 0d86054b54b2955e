import TestSupport
import Testing

@testable import Commands

/// How far an import came, and of which one it tells.
@Suite struct ImportNoteTests {
    private static let mark = RecordReader.Mark(line: 502, digest: "ab")
    private static let note = ImportNote(
        server: "https://staging.example.com",
        isTransfer: false,
        mark: mark,
        report: ImportReport(rows: 500, applied: 500)
    )

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var server = "https://staging.example.com"
        var isTransfer = false
        var change: String?
    }

    @Test(arguments: [
        Case(testDescription: "the same"),
        Case(
            testDescription: "another server",
            server: "https://pay.example.com",
            change: "its import, which came to line 502, asked https://staging.example.com"
        ),
        Case(
            testDescription: "now with --transfer",
            isTransfer: true,
            change: "its import, which came to line 502, was without --transfer"
        ),
    ]) func isOfOneImport(_ example: Case) {
        let begun = ImportNote(server: example.server, isTransfer: example.isTransfer)
        #expect(Self.note.change(to: begun) == example.change)
    }

    @Test func isReadAsItWasSaved() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/list.csv.progress"
        #expect(try ImportNote(path) == nil)
        try Self.note.save(path)
        #expect(try ImportNote(path) == Self.note)
    }

    /// Such as one that names no server, as they once were.
    @Test(arguments: ["", "{}", #"{"mark":{"line":502,"digest":"ab"},"report":{"rows":500}}"#])
    func whatIsNoNoteIsNotGuessed(_ text: String) throws {
        let folder = TemporaryFolder()
        folder.write(text, to: "note")
        let error = #expect(throws: CommandFailure.self) { try ImportNote(folder.path + "/note") }
        #expect(error?.message.contains("remove it") == true)
    }
}
