import Testing

@testable import Rails

@Suite struct RedisURLTests {
    struct Valid: Sendable, CustomTestStringConvertible {
        var text: String
        var address: RedisURL.Address
        var user: String?
        var password: String?
        var isSecure = false
        var testDescription: String { text }
    }

    @Test(arguments: [
        Valid(text: "redis://127.0.0.1", address: .tcp(host: "127.0.0.1", port: 6379)),
        Valid(text: "redis://redis.internal:6380/1", address: .tcp(host: "redis.internal", port: 6380)),
        Valid(text: "redis://localhost:6379/", address: .tcp(host: "localhost", port: 6379)),
        Valid(text: "redis://[::1]:7000/0", address: .tcp(host: "::1", port: 7000)),
        Valid(text: "redis://[::1]", address: .tcp(host: "::1", port: 6379)),
        Valid(text: "redis://:s3cret@host:1/2", address: .tcp(host: "host", port: 1), password: "s3cret"),
        Valid(
            text: "redis://rails:p%40ss%2F%25@host",
            address: .tcp(host: "host", port: 6379),
            user: "rails",
            password: "p@ss/%"
        ),
        Valid(text: "redis://u:a@b@host", address: .tcp(host: "host", port: 6379), user: "u", password: "a@b"),
        Valid(
            text: "rediss://default:s3cret@shop.upstash.io:6379",
            address: .tcp(host: "shop.upstash.io", port: 6379),
            user: "default",
            password: "s3cret",
            isSecure: true
        ),
        Valid(text: "rediss://[::1]/0", address: .tcp(host: "::1", port: 6379), isSecure: true),
        Valid(text: "unix:/run/redis.sock", address: .unix(path: "/run/redis.sock")),
        Valid(text: "unix:///run/redis.sock", address: .unix(path: "/run/redis.sock")),
        Valid(text: "unix://:pw@/run/redis.sock", address: .unix(path: "/run/redis.sock"), password: "pw"),
    ]) func isRead(_ given: Valid) throws {
        let url = try RedisURL(given.text)
        #expect(url.address == given.address)
        #expect(url.user == given.user)
        #expect(url.password == given.password)
        #expect(url.isSecure == given.isSecure)
    }

    struct Invalid: Sendable, CustomTestStringConvertible {
        var text: String
        var failure: RedisURL.Failure
        var testDescription: String { text }
    }

    @Test(arguments: [
        Invalid(text: "rediss:host", failure: .unknownScheme),
        Invalid(text: "rediss:///run/redis.sock", failure: .missingHost),
        Invalid(text: "", failure: .unknownScheme),
        Invalid(text: "127.0.0.1:6379", failure: .unknownScheme),
        Invalid(text: "http://host", failure: .unknownScheme),
        Invalid(text: "redis:host", failure: .unknownScheme),
        Invalid(text: "redis://", failure: .missingHost),
        Invalid(text: "redis://:6379", failure: .missingHost),
        Invalid(text: "redis://[::1", failure: .missingHost),
        Invalid(text: "redis://two words", failure: .missingHost),
        Invalid(text: "redis://host:0", failure: .port),
        Invalid(text: "redis://host:65536", failure: .port),
        Invalid(text: "redis://host:", failure: .port),
        Invalid(text: "redis://host/zero", failure: .database),
        Invalid(text: "redis://host/-1", failure: .database),
        Invalid(text: "redis://host?db=1", failure: .query),
        Invalid(text: "redis://word@host", failure: .credentials),
        Invalid(text: "redis://user:@host", failure: .credentials),
        Invalid(text: "redis://:%4@host", failure: .credentials),
        Invalid(text: "redis://:%zz@host", failure: .credentials),
        Invalid(text: "redis://:%0d%0a@host", failure: .credentials),
        Invalid(text: "redis://:%ff@host", failure: .credentials),
        Invalid(text: "unix:/", failure: .missingPath),
        Invalid(text: "unix://host/path", failure: .missingPath),
    ]) func isRefused(_ given: Invalid) {
        #expect(throws: given.failure) { try RedisURL(given.text) }
    }

    @Test func passwordShowsNowhere() throws {
        let url = try RedisURL("rediss://rails:s3cret@host:6380/1")
        let settings = RedisSettings(url: url, prefix: "shop")
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(url.description == "rediss://host:6380")
        for text in ["\(url)", String(reflecting: url), "\(settings)", dumped] { #expect(!text.contains("s3cret")) }
    }
}
