import Testing

@testable import PostgresLedger

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
        Case(sql: "-- why?\nSELECT ? /* ? */", numbered: "-- why?\nSELECT $1 /* ? */"),
        Case(sql: "DO $x$ ? $x$; $$ ? $$ ?", numbered: "DO $x$ ? $x$; $$ ? $$ $1"),
        Case(sql: "SELECT '?", numbered: "SELECT '?"),
        Case(sql: "SELECT $", numbered: "SELECT $"),
        Case(sql: "/*", numbered: "/*"),
        Case(sql: "", numbered: ""),
    ]) func areNumbered(_ given: Case) {
        #expect(Placeholders.numbered(given.sql) == given.numbered)
    }
}
