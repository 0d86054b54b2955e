import Crypto
import Domain
import Encoding
import Testing

@testable import Stores

@Suite struct GoogleKeyCacheTests {
    private static let key = Result { try RSAPrivateKey.generate() }
    private static let start = Instant(milliseconds: 1_767_225_600_000)

    static func certificates(_ kid: String = "a") throws -> [UInt8] {
        let numbers = try key.get().publicNumbers
        let (n, e) = (Base64URL.encode(numbers.modulus), Base64URL.encode(numbers.exponent))
        return Array(#"{"keys":[{"kty":"RSA","alg":"RS256","kid":"\#(kid)","n":"\#(n)","e":"\#(e)"}]}"#.utf8)
    }

    struct Step: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Asked at this second, with these keys in the answer; nil: it failed.
        var fetches: [(at: Int64, kid: String?)] = []
        var id = "a"
        var at: Int64
        var answer: String
    }

    @Test(arguments: [
        Step(testDescription: "nothing known", at: 0, answer: "fetch"),
        Step(testDescription: "just failed", fetches: [(0, nil)], at: 4, answer: "unavailable"),
        Step(testDescription: "failed a while ago", fetches: [(0, nil)], at: 5, answer: "fetch"),
        Step(testDescription: "known", fetches: [(0, "a")], at: 3599, answer: "known"),
        Step(testDescription: "out of date", fetches: [(0, "a")], at: 3600, answer: "stale"),
        Step(testDescription: "asked again, and failed", fetches: [(0, "a"), (3600, nil)], at: 3659, answer: "known"),
        Step(testDescription: "failed a minute ago", fetches: [(0, "a"), (3600, nil)], at: 3660, answer: "stale"),
        Step(testDescription: "unknown, just asked", fetches: [(0, "a")], id: "b", at: 59, answer: "none"),
        Step(testDescription: "unknown a minute later", fetches: [(0, "a")], id: "b", at: 60, answer: "fetch"),
        Step(
            testDescription: "unknown while Google does not answer",
            fetches: [(0, "a"), (60, nil)],
            id: "b",
            at: 119,
            answer: "unavailable"
        ),
        Step(testDescription: "replaced", fetches: [(0, "a"), (60, "b")], at: 61, answer: "none"),
        Step(testDescription: "clock set back", fetches: [(1000, "a")], id: "b", at: 0, answer: "fetch"),
    ]) func decides(_ step: Step) throws {
        var cache = GoogleKeyCache()
        for fetch in step.fetches {
            let now = Self.start + .seconds(fetch.at)
            cache.beginFetch(at: now)
            guard let kid = fetch.kid else { continue }
            let isTaken = cache.take(try Self.certificates(kid), cacheControl: "public, max-age=3600", now: now)
            #expect(isTaken)
        }
        let answer = String("\(cache.answer(for: step.id, now: Self.start + .seconds(step.at)))".prefix { $0 != "(" })
        #expect(answer == step.answer)
    }

    @Test(arguments: [
        (String?.none, Int64(3600)), ("public, max-age=100", 100), ("max-age=5", 60), ("MAX-AGE=100", 100),
        ("max-age=99999999999999999999", 3600), ("max-age=999999", 86_400), ("max-age=-1", 60), ("no-store", 3600),
    ]) func keepsThemAsLongAsGoogleSays(_ control: String?, seconds: Int64) throws {
        var cache = GoogleKeyCache()
        let isTaken = cache.take(try Self.certificates(), cacheControl: control, now: Self.start)
        #expect(isTaken)
        #expect("\(cache.answer(for: "a", now: Self.start + .seconds(seconds - 1)))".hasPrefix("known"))
        #expect("\(cache.answer(for: "a", now: Self.start + .seconds(seconds)))".hasPrefix("stale"))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"keys":[]}"#, #"{"keys":[{"kid":"a","kty":"EC"}]}"#,
        #"{"keys":[{"kid":"a","kty":"RSA","n":"AQAB","e":"AQAB"}]}"#,
        #"{"keys":[{"kid":"a","kty":"RSA","n":"*","e":"AQ"}]}"#,
    ]) func whatIsNoSetOfKeysChangesNothing(_ text: String) throws {
        var cache = GoogleKeyCache()
        let taken = [try Self.certificates(), Array(text.utf8)].map { body in
            cache.take(body, cacheControl: nil, now: Self.start)
        }
        #expect(taken == [true, false])
        #expect("\(cache.answer(for: "a", now: Self.start))".hasPrefix("known"))
    }
}
