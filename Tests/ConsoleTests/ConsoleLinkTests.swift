import APIModel
import Domain
import Encoding
import Pages
import Support
import TestSupport
import Testing

@testable import API
@testable import Console

/// A link that a backend makes for one user.
@Suite(.blocking) struct ConsoleLinkTests {
    private func token(of response: Response) throws -> String {
        let answer = try #require(JSON.decode(ConsoleLinkAnswer.self, from: response.body))
        let prefix = "https://pay.example/console/enter?token="
        #expect(answer.url.hasPrefix(prefix))
        return String(answer.url.dropFirst(prefix.count))
    }

    private func record(of user: UserID) -> UserAnswer {
        UserAnswer(
            user: user,
            stream: "s",
            locale: nil,
            active: false,
            entitlements: [:],
            contracts: [],
            orders: [],
            since: "e-7"
        )
    }

    @Test func opensOneUsersPageOnce() throws {
        let site = ConsoleTestSite()
        let user: UserID = "4/2 ü"
        site.api.answer(.user(user), with: record(of: user))
        site.api.answer(
            .userEvents(user: user),
            with: UserEventsAnswer(user: user, events: [], next: nil, since: "e-7")
        )
        let token = try token(of: site.link(to: user))
        for _ in 0..<2 { #expect(try site.send("/console/enter?token=\(token)").text.contains("Open the page")) }
        let entered = try site.send("/console/enter", form: [("token", token)])
        #expect(entered.status == 303)
        let page = "/console/users/4%2F2%20%C3%BC"
        #expect(entered.header("Location") == page + "?entered=1")
        let cookie = try #require(entered.cookie)
        #expect(try site.send(page, cookie: cookie).status == 200)
        for other in ["/console", "/console/users/42", "/console/users/4"] {
            let refused = try site.send(other, cookie: cookie)
            #expect(refused.status == 403 && refused.text.contains("<a href=\"\(page)\">To the user"))
        }
        #expect(site.api.questions.allSatisfy { $0.method == "GET" })
        let again = try site.send("/console/enter", form: [("token", token)])
        #expect(again.status == 403 && again.cookie == nil)
    }

    struct Dead: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (ConsoleTestSite, String) -> String
    }

    static let dead = [
        Dead(testDescription: "after a minute") { site, token in
            site.pass(.seconds(60))
            return token
        },
        Dead(testDescription: "changed") { _, token in "A" + token.dropFirst() },
        Dead(testDescription: "of a key that is gone") { site, token in
            site.keys.replace(with: [AccessKey(name: "other", rights: [.read], secret: Secret("0000111122223333"))])
            return token
        },
        Dead(testDescription: "empty") { _, _ in "" },
        Dead(testDescription: "a session") { site, _ in
            let key = ConsoleTestSite.support
            let token = ConsoleToken(keyName: key.name, expiry: Instant(milliseconds: .max), user: "42")
            return token.sealed(with: key.secret, for: .session)
        },
        Dead(testDescription: "for nobody") { site, _ in
            let key = ConsoleTestSite.support
            let token = ConsoleToken(keyName: key.name, expiry: Instant(milliseconds: .max))
            return token.sealed(with: key.secret, for: .link)
        },
    ]

    @Test(arguments: dead) func opensNothing(_ given: Dead) throws {
        let site = ConsoleTestSite()
        let token = given.change(site, try token(of: site.link(to: "42")))
        #expect(try site.send("/console/enter?token=\(token)").status == 403)
        let entered = try site.send("/console/enter", form: [("token", token)])
        #expect(entered.status == 403 && entered.cookie == nil)
    }

    @Test func isUsedUpByAPageOfOursAlone() throws {
        let site = ConsoleTestSite()
        let token = try token(of: site.link(to: "42"))
        let foreign = try site.send("/console/enter", form: [("token", token)], headers: ["Sec-Fetch-Site: cross-site"])
        #expect(foreign.status == 403)
        #expect(try site.send("/console/enter", form: [("token", token)]).status == 303)
    }

    @Test func needsAKeyWithAName() throws {
        let site = ConsoleTestSite(keys: [ConsoleTestSite.support, ConsoleTestSite.everything])
        let answer = try site.link(to: "42", key: ConsoleTestSite.everything)
        #expect(answer.status == 403)
        #expect(answer.text.contains("nameless_key"))
        #expect(try ConsoleTestSite(keys: [ConsoleTestSite.everything]).link(to: "42").status == 404)
        #expect(try site.link(to: "4\n2").status == 400)
    }
}
