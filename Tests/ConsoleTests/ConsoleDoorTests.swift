import Domain
import Encoding
import Pages
import Support
import TestSupport
import Testing

@testable import Console

@Suite(.blocking) struct ConsoleDoorTests {
    @Test func thereIsNoConsoleWithoutANamedKey() throws {
        let site = ConsoleTestSite(keys: [ConsoleTestSite.everything])
        for target in ["/console", "/console/assets/console.css", "/console/enter", "/console/users/42"] {
            #expect(try site.send(target).status == 404)
        }
        #expect(try site.logIn(ConsoleTestSite.everything) == nil)
    }

    @Test func opensWithAKey() throws {
        let site = ConsoleTestSite()
        let closed = try site.send("/console")
        #expect(closed.status == 401)
        #expect(closed.text.contains("Paste your key"))
        #expect(closed.text.contains("/console/assets/look.css"))
        #expect(try site.send("/console/assets/look.css").text.contains("--ink"))
        let answer = try site.send("/console/session", form: [("key", " \(ConsoleTestSite.support.secret.value)\n")])
        #expect(answer.status == 303)
        #expect(answer.header("Location") == "/console?entered=1")
        let cookie = try #require(answer.header("Set-Cookie"))
        #expect(cookie.hasPrefix("__Host-paycast="))
        for attribute in ["Secure", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=28800"] {
            #expect(cookie.split(separator: "; ").contains { $0 == attribute })
        }
        #expect(try site.send("/console", cookie: answer.cookie).status == 200)
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let cookie: @Sendable (ConsoleTestSite, String) throws -> String
    }

    static let refused = [
        Refused(testDescription: "no cookie") { _, _ in "other=1" },
        Refused(testDescription: "a changed code") { _, cookie in String(cookie.dropLast(2)) + "AA" },
        Refused(testDescription: "another user than was signed") { _, cookie in
            cookie.replacing("=", with: "=AAAA", maxReplacements: 1)
        },
        Refused(testDescription: "two of them") { _, cookie in "\(cookie); \(cookie)" },
        Refused(testDescription: "after eight hours") { site, cookie in
            site.pass(.seconds(28_800))
            return cookie
        },
        Refused(testDescription: "its key was removed") { site, cookie in
            site.keys.replace(with: [AccessKey(name: "other", rights: [.read], secret: Secret("0000111122223333"))])
            return cookie
        },
        Refused(testDescription: "its key was changed") { site, cookie in
            site.keys.replace(with: [AccessKey(name: "support", rights: [.read], secret: Secret("0000111122223333"))])
            return cookie
        },
        Refused(testDescription: "another key has its secret") { site, cookie in
            let secret = ConsoleTestSite.support.secret
            site.keys.replace(with: [AccessKey(name: "boss", rights: [.read], secret: secret)])
            return cookie
        },
        Refused(testDescription: "it has logged out") { site, cookie in
            let answer = try site.send("/console/log-out", form: [], cookie: cookie)
            #expect(answer.header("Set-Cookie")?.contains("Max-Age=0") == true)
            return cookie
        },
        Refused(testDescription: "a link's token") { site, _ in
            let key = ConsoleTestSite.support
            let token = ConsoleToken(keyName: key.name, expiry: Instant(milliseconds: .max))
            return "__Host-paycast=" + token.sealed(with: key.secret, for: .link)
        },
        Refused(testDescription: "a key that does not open it here") { _, _ in
            let key = ConsoleTestSite.everything
            let token = ConsoleToken(keyName: key.name, expiry: Instant(milliseconds: .max))
            return "__Host-paycast=" + token.sealed(with: key.secret, for: .session)
        },
    ]

    @Test(arguments: refused) func staysClosed(_ given: Refused) throws {
        let site = ConsoleTestSite()
        let cookie = try #require(try site.logIn())
        #expect(try site.send("/console", cookie: cookie).status == 200)
        let other = try given.cookie(site, cookie)
        #expect(try site.send("/console", cookie: other).status == 401)
    }

    @Test func aWrongKeySetsNoCookie() throws {
        let answer = try ConsoleTestSite().send("/console/session", form: [("key", "0123456789abcdef")])
        #expect(answer.status == 403)
        #expect(answer.cookie == nil)
        #expect(answer.text.contains("No key is this one"))
    }

    @Test func aSessionIsNeverOneThatWasThereBefore() throws {
        let site = ConsoleTestSite()
        let planted = try #require(try site.logIn())
        let form = [("key", ConsoleTestSite.support.secret.value)]
        let own = try site.send("/console/session", form: form, cookie: planted).cookie
        #expect(own != nil && own != planted)
    }

    @Test func triesAreLimitedByAddress() throws {
        let site = ConsoleTestSite()
        let wrong = [("key", "wrong")]
        for _ in 0..<TryLimit.byAddress { #expect(try site.send("/console/session", form: wrong).status == 403) }
        let refusal = try site.send("/console/session", form: wrong)
        #expect(refusal.status == 429)
        #expect(refusal.header("Retry-After").flatMap { Int($0) }.map { (1...60).contains($0) } == true)
        #expect(try site.logIn() == nil)
        #expect(try site.logIn(client: "192.0.2.2") != nil)
        for number in 0..<TryLimit.byAddress {
            #expect(try site.send("/console/session", form: wrong, client: "2001:db8::\(number)").status == 403)
        }
        #expect(try site.send("/console/session", form: wrong, client: "2001:db8::ffff").status == 429)
        site.pass(.seconds(60))
        #expect(try site.logIn() != nil)
    }

    @Test func triesAreLimitedInAll() throws {
        let site = ConsoleTestSite()
        for number in 0..<TryLimit.inAll {
            let address = "192.0.2.\(number)"
            #expect(try site.send("/console/session", form: [("key", "wrong")], client: address).status == 403)
        }
        let more = try site.send("/console/session", form: [("key", "wrong")], client: "198.51.100.1")
        #expect(more.status == 429)
        // What strangers try holds up nobody who has a key.
        #expect(try site.logIn(client: "198.51.100.2") != nil)
    }

    struct Sender: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let headers: [String]
        let isAccepted: Bool
    }

    static let senders = [
        Sender(testDescription: "a page of ours", headers: ["Sec-Fetch-Site: same-origin"], isAccepted: true),
        Sender(testDescription: "our origin", headers: ["Origin: https://pay.example"], isAccepted: true),
        Sender(testDescription: "another site", headers: ["Sec-Fetch-Site: cross-site"], isAccepted: false),
        Sender(
            testDescription: "another site with our origin",
            headers: ["Sec-Fetch-Site: cross-site", "Origin: https://pay.example"],
            isAccepted: false
        ),
        Sender(testDescription: "a subdomain", headers: ["Sec-Fetch-Site: same-site"], isAccepted: false),
        Sender(testDescription: "a typed address", headers: ["Sec-Fetch-Site: none"], isAccepted: false),
        Sender(testDescription: "another origin", headers: ["Origin: https://evil.example"], isAccepted: false),
        Sender(testDescription: "a hidden origin", headers: ["Origin: null"], isAccepted: false),
        Sender(testDescription: "nothing said", headers: [], isAccepted: false),
    ]

    @Test(arguments: senders) func changesComeFromItsOwnPages(_ given: Sender) throws {
        let form = [("key", ConsoleTestSite.support.secret.value)]
        let answer = try ConsoleTestSite().send("/console/session", form: form, headers: given.headers)
        #expect(answer.status == (given.isAccepted ? 303 : 403))
        #expect((answer.cookie != nil) == given.isAccepted)
    }

    @Test(arguments: ["/console", "/console/assets/console.css", "/console/nowhere", "/console/assets/layout.html"])
    func everyAnswerHasTheHeaders(_ target: String) throws {
        let answer = try ConsoleTestSite().send(target)
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(answer.header("Referrer-Policy") == "same-origin")
        #expect(answer.header("Cross-Origin-Opener-Policy") == "same-origin")
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
    }

    @Test func inDevelopmentOneLinkOpensIt() throws {
        let site = ConsoleTestSite(keys: [ConsoleTestSite.everything], isDevelopment: true, isSecure: false)
        let target = "/console/enter?next=/console/users/42"
        let answer = try site.send(target, client: "127.0.0.1", host: "localhost:8080")
        #expect(answer.status == 303)
        #expect(answer.header("Location") == "/console/users/42")
        #expect(answer.cookie?.hasPrefix("paycast=") == true)
        #expect(answer.header("Set-Cookie")?.contains("Secure") == false)
        #expect(try site.send("/console", cookie: answer.cookie).status == 200)
        #expect(try ConsoleTestSite().send("/console/enter").status == 404)
    }

    struct Passage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var client = "127.0.0.1"
        var host = "localhost:8080"
        var headers: [String] = []
    }

    static let passages = [
        Passage(testDescription: "another machine", client: "192.168.1.7"),
        Passage(testDescription: "a tunnel's name", host: "demo.tunnel.example"),
        Passage(testDescription: "a proxy", headers: ["X-Forwarded-For: 127.0.0.1"]),
    ]

    /// A developer lists a tunnel for stores and phones, and not to let strangers act on users.
    @Test(arguments: passages) func inDevelopmentNobodyElseComesInWithoutAKey(_ passage: Passage) throws {
        let site = ConsoleTestSite(keys: [ConsoleTestSite.everything], isDevelopment: true, isSecure: false)
        let answer = try site.send(
            "/console/enter",
            headers: passage.headers,
            client: passage.client,
            host: passage.host
        )
        #expect(answer.status == 401 && answer.cookie == nil)
    }

    @Test func aFormThatIsTooLongIsNotRead() throws {
        let key = String(repeating: "k", count: 20_000)
        #expect(try ConsoleTestSite().send("/console/session", form: [("key", key)]).status == 400)
    }

    @Test(arguments: [
        "https://evil.example", "//evil.example", "/consolee", "/console/\\evil", "/console/ x", "",
        "/console/../admin",
        "/console/%2e%2e/admin", "/console/users/42/../../../admin", "/console/nothing", "/console/log-out",
        "/console/assets/console.css", "http://evil.example/console", "/console/users/42\r\nLocation: /admin",
        "/console/users/..",
    ])
    func leadsNowhereElse(_ next: String) throws {
        let site = ConsoleTestSite(isDevelopment: true)
        let target = "/console/enter?next=\(PercentEncoding.encode(next))"
        let answer = try site.send(target, client: "127.0.0.1", host: "localhost")
        #expect(answer.header("Location") == "/console")
    }

    @Test func comesBackToThePageThatWasAskedFor() throws {
        let page = try ConsoleTestSite().send("/console/users/4%2F2?before=e-7")
        #expect(page.text.contains(#"name="next" value="/console/users/4%2F2?before=e-7""#))
    }

    @Test func aLogOutHoldsAtEveryNode() throws {
        let site = ConsoleTestSite()
        let other = ConsoleTestSite(besides: site)
        let cookie = try site.logIn()
        #expect(try other.send("/console/search", cookie: cookie).status != 401)
        #expect(try site.send("/console/log-out", form: [], cookie: cookie).status == 303)
        #expect(try other.send("/console/search", cookie: cookie).status == 401)
        // A restart forgets what was in memory alone.
        #expect(try ConsoleTestSite(besides: site).send("/console/search", cookie: cookie).status == 401)
    }
}
