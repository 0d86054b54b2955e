import Testing

@testable import Ledger

@Suite struct PlaceholdersTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var sql: String
        var numbered: String
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Case(sql: "SELECT ?, ?", numbered: "SELECT $1, $2"),
        Case(sql: "SELECT ?2, ?, ?1, ?", numbered: "SELECT $2, $3, $1, $4"),
        Case(sql: "SELECT $1, '?', ?", numbered: "SELECT $1, '?', $1"),
        Case(sql: "SELECT 'it''s ?', ?", numbered: "SELECT 'it''s ?', $1"),
        Case(sql: "SELECT \"a?\", ?", numbered: "SELECT \"a?\", $1"),
        Case(sql: "SELECT '?", numbered: "SELECT '?"),
        Case(sql: "SELECT $", numbered: "SELECT $"),
        Case(sql: "/*", numbered: "/*"),
        Case(sql: "", numbered: ""),
        Case(sql: "SELECT a FROM b WHERE c = ? AND d = ?", numbered: "SELECT a FROM b WHERE c = $1 AND d = $2"),
        Case(sql: "c = ?2 OR c IS NULL AND d = ?1", numbered: "c = $2 OR c IS NULL AND d = $1"),
        Case(
            sql: "user = ? AND user_at > ? AND to_user = ?",
            numbered: #""user" = $1 AND user_at > $2 AND to_user = $3"#
        ),
        Case(sql: #""user" = ?"#, numbered: #""user" = $1"#),
        Case(sql: "a = 'user ?' AND b = ?", numbered: "a = 'user ?' AND b = $1"),
        Case(sql: "a = 'it''s ?' AND b = ?", numbered: "a = 'it''s ?' AND b = $1"),
    ]) func areNumbered(_ given: Case) {
        #expect(Placeholders.translated(given.sql) == given.numbered)
    }
}
