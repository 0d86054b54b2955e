import Testing

@testable import Ledger

@Suite struct PostgresURLTests {
    struct Valid: Sendable, CustomTestStringConvertible {
        var text: String
        var description: String
        var testDescription: String { text }
    }

    @Test(arguments: [
        Valid(text: "postgres://host", description: "postgres://host"),
        Valid(text: "postgresql://u:s3cret@host:5433/shop", description: "postgres://host:5433/shop"),
        Valid(text: "postgres://u:s3cret@a:1,b:2/shop?sslmode=verify-full", description: "postgres://a:1,b:2/shop"),
        Valid(text: "postgres://[::1]:5432/shop", description: "postgres://[::1]:5432/shop"),
        Valid(text: "postgres:///shop?host=/run/postgresql", description: "postgres:///run/postgresql/shop"),
        Valid(
            text: "postgres://u:s3cret%40%2F@host/shop?target_session_attrs=any",
            description: "postgres://host/shop"
        ),
        Valid(text: "postgres://host?password=s3cret&tcp_user_timeout=5000", description: "postgres://host"),
    ]) func isReadAndShownWithoutPassword(_ given: Valid) throws {
        let url = try PostgresURL(given.text)
        #expect(url.description == given.description)
        var dumped = ""
        dump(url, to: &dumped)
        for text in ["\(url)", String(reflecting: url), dumped] { #expect(!text.contains("s3cret")) }
    }

    struct Invalid: Sendable, CustomTestStringConvertible {
        var text: String
        var failure: PostgresURL.Failure
        var testDescription: String { text }
    }

    @Test(arguments: [
        Invalid(text: "", failure: .unknownScheme),
        Invalid(text: "mysql://host", failure: .unknownScheme),
        Invalid(text: "postgres:host", failure: .unknownScheme),
        Invalid(text: "postgres://u:s3cret%zz@host", failure: .escape),
        Invalid(text: "postgres://u:s3cret%+1@host", failure: .escape),
        Invalid(text: "postgres://u:s3cret%00@host", failure: .escape),
        Invalid(text: "postgres://u:s3cret%4", failure: .escape),
        Invalid(text: "postgres://host\nx", failure: .escape),
        Invalid(text: "postgres://host?s3cret=1", failure: .malformed),
        Invalid(text: "postgres://[::1", failure: .malformed),
        Invalid(text: "postgres://host:0", failure: .ports),
        Invalid(text: "postgres://host:65536", failure: .ports),
        Invalid(text: "postgres://a,b?port=1,2,3", failure: .ports),
        Invalid(text: "postgres://host?sslmode=always", failure: .sslMode),
        Invalid(text: "postgres://host?target_session_attrs=standby", failure: .readsOnly),
        Invalid(text: "postgres://host?connect_timeout=soon", failure: .number("connect_timeout")),
    ]) func isRefused(_ given: Invalid) {
        let failure = #expect(throws: PostgresURL.Failure.self) { try PostgresURL(given.text) }
        #expect(failure == given.failure)
        #expect(failure?.description.contains("s3cret") == false)
    }
}
