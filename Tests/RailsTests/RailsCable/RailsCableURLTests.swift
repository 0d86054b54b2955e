import Ledger
import PostgresLedger
import Rails
import Testing

@Suite struct RailsCableURLTests {
    @Test(arguments: [
        ("sqlite:storage/cable.sqlite3", "sqlite:storage/cable.sqlite3"),
        ("sqlite3:/rails/cable.sqlite3", "sqlite:/rails/cable.sqlite3"),
        ("sqlite:///rails/cable.sqlite3", "sqlite:/rails/cable.sqlite3"),
        ("postgres://app:s3cret@db:5433/app_cable", "postgres://db:5433/app_cable"),
        ("postgresql://db/app_cable", "postgres://db/app_cable"),
    ]) func isRead(_ text: String, shown: String) throws {
        let url = try RailsCableURL(text)
        #expect(url.description == shown)
        var dump = ""
        Swift.dump(url, to: &dump)
        #expect(!dump.contains("s3cret"))
    }

    @Test(
        arguments: [
            ("", .file(.unknownScheme)), ("/rails/cable.sqlite3", .file(.unknownScheme)),
            ("mysql2://db/app", .file(.unknownScheme)),
            ("sqlite:", .file(.missingPath)), ("sqlite://", .file(.missingPath)), ("sqlite::memory:", .file(.notAPath)),
            ("sqlite:/rails/", .file(.notAPath)), ("sqlite:/a\nb", .file(.notAPath)),
            ("sqlite://user:s3cret@host/x", .file(.namesAHost)),
            ("sqlite:/a?mode=rwc", .file(.query)), ("postgres://db:port/x", .postgres(.ports)),
        ] as [(String, RailsCableURL.Failure)]
    ) func isRefused(_ text: String, failure: RailsCableURL.Failure) {
        #expect(throws: failure) { try RailsCableURL(text) }
        #expect(!failure.description.contains("s3cret"))
    }
}
