import Domain
import Encoding
import Stores
import TestSupport
import Testing

@Suite struct AppleAPITokensTests {
    private func bearer(_ fixture: AppleFixture, at now: Instant, app: String = AppleFixture.bundle) throws -> String {
        _ = try? fixture.api.of(app).requestTest(in: .sandbox, now: now)
        return try #require(fixture.server.requests.last?.header("Authorization"))
    }

    @Test func saysWhoAsks() throws {
        let fixture = try AppleFixture()
        let parts = try bearer(fixture, at: AppleFixture.now).dropFirst("Bearer ".count).split(separator: ".")
        let head = try #require(Base64URL.decode(String(parts[0])))
        let claims = try #require(Base64URL.decode(String(parts[1])))
        #expect(String(decoding: head, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG","typ":"JWT"}"#)
        #expect(
            String(decoding: claims, as: UTF8.self) == #"{"aud":"appstoreconnect-v1","bid":"com.example.paycast","#
                + #""exp":1767225900,"iat":1767225600,"iss":"57246542-96fe-1a63-e053-0824d011072a"}"#
        )
        #expect(Base64URL.decode(String(parts[2]))?.count == 64)
    }

    @Test func isKeptForFourMinutes() throws {
        let fixture = try AppleFixture()
        let first = try bearer(fixture, at: AppleFixture.now)
        #expect(try bearer(fixture, at: AppleFixture.now + .seconds(239)) == first)
        #expect(try bearer(fixture, at: AppleFixture.now + .seconds(241)) != first)
    }

    @Test func clockThatWasSetBackMakesANewOne() throws {
        let fixture = try AppleFixture()
        let first = try bearer(fixture, at: AppleFixture.now)
        #expect(try bearer(fixture, at: AppleFixture.now - .seconds(3600)) != first)
    }

    @Test func eachAppHasItsOwn() throws {
        let fixture = try AppleFixture()
        let first = try bearer(fixture, at: AppleFixture.now)
        #expect(try bearer(fixture, at: AppleFixture.now, app: "com.example.other") != first)
        #expect(try bearer(fixture, at: AppleFixture.now) == first)
    }
}
