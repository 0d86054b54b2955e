import Testing

@testable import PostgresLedger

/// The SQL that both engines have in common, as PostgreSQL reads it.
@Suite struct PostgresDialectTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var sql: String
        var translated: String
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Case(sql: "SELECT a FROM b WHERE c = ? AND d = ?", translated: "SELECT a FROM b WHERE c = $1 AND d = $2"),
        Case(sql: "c = ?2 OR c IS NULL AND d = ?1", translated: "c = $2 OR c IS NULL AND d = $1"),
        Case(
            sql: "user = ? AND user_at > ? AND to_user = ?",
            translated: #""user" = $1 AND user_at > $2 AND to_user = $3"#
        ),
        Case(sql: #""user" = ?"#, translated: #""user" = $1"#),
        Case(sql: "a = 'user ?' AND b = ?", translated: "a = 'user ?' AND b = $1"),
        Case(sql: "a = 'it''s ?' AND b = ?", translated: "a = 'it''s ?' AND b = $1"),
    ]) func translates(_ given: Case) {
        #expect(PostgresDialect.translated(given.sql) == given.translated)
    }
}
