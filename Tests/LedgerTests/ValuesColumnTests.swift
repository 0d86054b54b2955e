import Domain
import TestSupport
import Testing

@testable import Ledger

/// The values of a template in their column.
@Suite(.blocking) struct ValuesColumnTests {
    @Test(arguments: [
        [:], ["user": "42"], ["user": "", "": "x"], ["product": "1:a,", "price": #"4,99 "€" \ {}"#],
        ["a": "\u{0}\n\u{1F}\u{2028}", "\"": "\\\"", "😀": "e\u{301}"],
        ["long": String(repeating: "\"é", count: 5000)],
    ]) func areReadAsTheyWereWritten(_ values: [String: String]) {
        #expect(ValuesColumn.decode(ValuesColumn.encode(values)) == values)
    }

    @Test(arguments: [
        "{", "{\"", #"{"a":"b"}}"#, #"{"a":1}"#, #"{"a":null}"#, #"{"a":{}}"#, #"{"a":"\ud800"}"#, #"["a"]"#, #""a""#,
        "null", "", "a", "4:user,2:42,",
        String(repeating: #"{"a":"#, count: 10_000),
    ]) func damageIsRefused(_ column: String) {
        #expect(ValuesColumn.decode(Array(column.utf8)) == nil)
    }

    private func fragment() throws -> Fragment {
        let stream = try #require(StreamPattern.standard.stream(for: "42"))
        let content = Fragment.Content.template(name: "success", values: ["user": "42"])
        return Fragment(stream: stream, action: "replace", target: "paywall", content: content)
    }

    @Test func rowsHoldJSON() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        _ = try ledger.broadcast([fragment()])
        let connection = try SQLiteConnection(path: ledger.path, access: .readOnly, lockTimeout: .seconds(1))
        let body = try connection.prepare("SELECT body FROM fragments").first { row in row.bytes(0) }
        #expect(body == Array(#"{"user":"42"}"#.utf8))
        #expect(try ledger.missed("42").items.first?.fragments == [fragment()])
    }

    /// A page is told that the ledger failed, and the next question is answered.
    @Test(arguments: ["x'7B'", "CAST('4:user,2:42,' AS BLOB)", "x'7B22FF'", "x'02'", "x'0228B52FFD'", "x'03'", "x''"])
    func damagedRowIsAnError(_ column: String) throws {
        let ledger = try ledger(withColumn: column)
        defer { ledger.remove() }
        let error = #expect(throws: LedgerError.self) { try ledger.missed("42") }
        #expect("\(try #require(error))".contains("unreadable value in column body"))
        #expect(try ledger.missed("43").items.isEmpty)
    }

    /// A ledger with one fragment whose values are those of an SQL expression.
    private func ledger(withColumn column: String) throws -> TemporaryLedger {
        let ledger = try TemporaryLedger(kind: .file)
        _ = try ledger.broadcast([fragment()])
        ledger.close()
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .zero)
        try connection.execute("UPDATE fragments SET body = \(column)")
        return try TemporaryLedger(at: ledger.path, kind: .file)
    }
}
