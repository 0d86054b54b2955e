import Ledger
import Testing

@Suite struct DatabaseURLTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var database: DatabaseURL
        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(text: "sqlite:paycast.db", database: .sqlite(path: "paycast.db")),
        Case(text: "sqlite:/var/lib/paycast.db", database: .sqlite(path: "/var/lib/paycast.db")),
        Case(text: "sqlite:///var/lib/paycast.db", database: .sqlite(path: "/var/lib/paycast.db")),
        Case(
            text: "postgres://a:b@h,i/d?sslmode=verify-full",
            database: .postgres("postgres://a:b@h,i/d?sslmode=verify-full")
        ),
        Case(text: "postgresql:///d", database: .postgres("postgresql:///d")),
    ])
    func reads(_ given: Case) throws {
        #expect(try DatabaseURL(given.text) == given.database)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var text: String
        var failure: DatabaseURL.Failure
        var testDescription: String { text }
    }

    @Test(arguments: [
        Refusal(text: "postgres:h/d", failure: .unknownScheme),
        Refusal(text: "mysql://h/d", failure: .unknownScheme),
        Refusal(text: "paycast.db", failure: .unknownScheme),
        Refusal(text: "sqlite:", failure: .missingPath),
        Refusal(text: "sqlite://", failure: .missingPath),
        Refusal(text: "sqlite://user:hunter2@host/paycast", failure: .namesAHost),
        Refusal(text: "sqlite::memory:", failure: .notAPath),
        Refusal(text: "sqlite:a\u{0}b", failure: .notAPath),
        Refusal(text: "sqlite:folder/", failure: .notAPath),
    ])
    func refuses(_ given: Refusal) {
        #expect(throws: given.failure) { try DatabaseURL(given.text) }
    }
}
