import Ledger
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

    @Test(arguments: [
        ("", "is neither sqlite:PATH"), ("/rails/cable.sqlite3", "is neither sqlite:PATH"),
        ("mysql2://db/app", "is neither sqlite:PATH"),
        ("sqlite:", "has no path; write sqlite:/rails/"), ("sqlite://", "has no path; write sqlite:/rails/"),
        ("sqlite::memory:", "its path must name one file"), ("sqlite:/rails/", "its path must name one file"),
        ("sqlite:/a\nb", "its path must name one file"),
        ("sqlite://user:s3cret@host/x", "has two slashes followed by a host; write sqlite:PATH"),
        ("sqlite:/a?mode=rwc", "has a query (?…)"), ("postgres://db:port/x", "its ports are not numbers"),
    ]) func isRefused(_ text: String, problem: String) throws {
        let failure = #expect(throws: RailsCableURL.Failure.self) { try RailsCableURL(text) }
        let words = try #require(failure?.description)
        #expect(words.hasPrefix(problem))
        #expect(!words.contains("s3cret"))
    }
}
