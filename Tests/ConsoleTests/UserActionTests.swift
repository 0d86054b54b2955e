import APIModel
import Domain
import HTTP
import Pages
import Support
import TestSupport
import Testing

@testable import API
@testable import Console

/// What people do to a user, each on a page of its own.
@Suite(.blocking) struct UserActionTests {
    private typealias Fixture = ConsoleFixture

    private func site(
        _ events: [FeedItem] = [],
        rights: Set<Right> = Set(Right.allCases)
    ) throws -> (site: ConsoleTestSite, cookie: String) {
        let key = AccessKey(name: "support", rights: rights, secret: ConsoleTestSite.support.secret)
        let site = ConsoleTestSite(keys: [key])
        site.api.answer(.user("42"), with: Fixture.record())
        site.api.answer(.userEvents(user: "42"), with: Fixture.events(events))
        site.api.answer(.audit, with: AuditAnswer((entries: [], hasMore: false)))
        return (site, try #require(try site.logIn(key)))
    }

    private static let grant = GrantAnswer(
        grant: "g",
        user: "42",
        product: "pro",
        entitlement: nil,
        entitlements: ["default"],
        group: nil,
        grantedAt: Fixture.now.iso8601,
        until: nil,
        revokedAt: nil,
        cursor: Fixture.cursor
    )

    private static let form = [
        ("product", "pro"), ("term", "days"), ("days", "30"), ("reason", "ticket 7"), ("key", "k1"), ("seen", "0.0"),
        ("sure", "pro"),
    ]

    @Test func aGrantIsAskedOfTheAPIOnceUnderTheFormsKey() throws {
        let (site, cookie) = try site()
        site.api.answer(.grants(user: "42"), method: "POST", status: 201, with: Self.grant)
        let answer = try site.send("/console/users/42/grant", form: Self.form, cookie: cookie)
        let next = try #require(answer.header("Location"))
        #expect(answer.status == 303 && next.hasPrefix("/console/users/42?done="))
        // Only who did it is told so, of this user, and for a minute.
        #expect(try site.send(next, cookie: cookie).text.contains("Granted. The user"))
        #expect(try !site.send("/console/users/42?done=grant", cookie: cookie).text.contains("Granted. The user"))
        site.api.answer(.user("43"), with: Fixture.record(user: "43"))
        site.api.answer(.userEvents(user: "43"), with: Fixture.events([], user: "43"))
        let other = try site.send(next.replacing("/42?", with: "/43?"), cookie: cookie)
        #expect(other.status == 200 && !other.text.contains("Granted. The user"))
        site.pass(.seconds(61))
        #expect(try !site.send(next, cookie: cookie).text.contains("Granted. The user"))
        let asked = try #require(site.api.questions.first { $0.method == "POST" })
        var granted = GrantRequest(product: "pro", reason: "ticket 7")
        granted.days = 30
        #expect(JSON.decode(GrantRequest.self, from: asked.body) == granted)
        #expect(asked.key == "k1" && asked.credentials == "Bearer \(ConsoleTestSite.support.secret.value)")
    }

    /// The form offers the catalog's entitlements; a product that is named takes their place.
    @Test func anEntitlementIsGrantedByItsName() throws {
        let (site, cookie) = try site()
        let catalog = Catalog(
            entitlements: ["pro", "maps"].compactMap(EntitlementName.init),
            titles: EntitlementName("pro").map { [$0: "Pro & more"] } ?? [:]
        )
        site.api.answer(.catalog, with: CatalogAnswer(catalog))
        let form = try site.send("/console/users/42/grant", cookie: cookie).text
        #expect(form.contains(">Pro &amp; more (pro)</option>") && form.contains(">maps</option>"), "\(form)")
        site.api.answer(.grants(user: "42"), method: "POST", status: 201, with: Self.grant)
        for (product, expected) in [
            ("", GrantRequest(entitlement: "maps", reason: "ticket 7")),
            ("year", GrantRequest(product: "year", reason: "ticket 7")),
        ] {
            let sent = Self.form.filter { $0.0 != "product" } + [("product", product), ("entitlement", "maps")]
            #expect(try site.send("/console/users/42/grant", form: sent, cookie: cookie).status == 303)
            var request = expected
            request.days = 30
            let asked = try #require(site.api.questions.last { $0.method == "POST" })
            #expect(JSON.decode(GrantRequest.self, from: asked.body) == request)
        }
    }

    struct Incomplete: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var word = "grant"
        let form: [(String, String)]
        let says: String
    }

    static let incomplete = [
        Incomplete(testDescription: "no reason", form: form.filter { $0.0 != "reason" }, says: "Write why"),
        Incomplete(
            testDescription: "a blank reason",
            form: form.map { $0.0 == "reason" ? ("reason", " ") : $0 },
            says: "Write why"
        ),
        Incomplete(
            testDescription: "no days",
            form: form.map { $0.0 == "days" ? ("days", "x") : $0 },
            says: "whole number"
        ),
        Incomplete(
            testDescription: "an erasure without the id",
            word: "erase",
            form: [("reason", "asked for"), ("confirm", "43"), ("seen", "0.0")],
            says: "exactly as the form shows it"
        ),
        Incomplete(
            testDescription: "no grant",
            word: "revoke",
            form: [("reason", "x"), ("seen", "0.0")],
            says: "Choose the grant"
        ),
    ]

    @Test(arguments: incomplete) func whatIsIncompleteIsNotDone(_ given: Incomplete) throws {
        let (site, cookie) = try site()
        let answer = try site.send("/console/users/42/\(given.word)", form: given.form, cookie: cookie)
        #expect(answer.status == 400)
        #expect(answer.text.contains(given.says))
        #expect(site.api.questions.allSatisfy { $0.method == "GET" })
    }

    /// The API's refusal is shown on the form, which keeps what was entered.
    @Test func aRefusalKeepsTheForm() throws {
        let (site, cookie) = try site()
        let refusal = ErrorAnswer(error: "invalid_reason", message: "Leave the user's id out.")
        site.api.answer(.grants(user: "42"), method: "POST", status: 400, with: refusal)
        let answer = try site.send("/console/users/42/grant", form: Self.form, cookie: cookie)
        #expect(answer.status == 400)
        #expect(answer.text.contains("Leave the user&#39;s id out.") && answer.text.contains(#"value="ticket 7""#))
    }

    /// Two people act at the same time: the second is told what the first did, and is asked again.
    @Test func whoActsOnAnOldPageIsToldWhatHasHappened() throws {
        let (site, cookie) = try site([Fixture.event(.subscriptionStarted)])
        let form = try site.send("/console/users/42/grant", cookie: cookie).text
        #expect(form.contains(#"name="seen" value="e-7.0""#))
        let granted = Fixture.event(.accessGranted, type: "grant", state: .cancelled, position: 9, provider: .paycast)
        let since = Fixture.events([granted, Fixture.event(.subscriptionStarted)], since: 9)
        site.api.answer(.userEvents(user: "42"), with: since)
        let act = Act(.grant, by: .init(name: "anna"), user: "42", reason: "ticket 6")
        let entry = AuditEntry(id: 5, at: Fixture.now, act: act)
        site.api.answer(.audit, with: AuditAnswer((entries: [entry], hasMore: false)))
        let sent = Self.form.map { $0.0 == "seen" ? ("seen", "e-7.0") : $0 }
        let told = try site.send("/console/users/42/grant", form: sent, cookie: cookie)
        #expect(told.status == 409)
        for part in ["Nothing was done", "anna granted access at 12:00 UTC: ticket 6", "Granted at 12:00 UTC"] {
            #expect(told.text.contains(part), "\(told.text)")
        }
        #expect(told.text.contains(#"name="seen" value="e-9.5""#))
        #expect(site.api.questions.allSatisfy { $0.method == "GET" })
        site.api.answer(.grants(user: "42"), method: "POST", status: 201, with: Self.grant)
        let again = Self.form.map { $0.0 == "seen" ? ("seen", "e-9.5") : $0 }
        #expect(try site.send("/console/users/42/grant", form: again, cookie: cookie).status == 303)
        // For what is committed meanwhile, at whatever node.
        #expect(site.api.questions.first { $0.method == "POST" }?.query["unchanged_since"] == "e-9")
    }

    /// Another node was faster, after the console has looked.
    @Test func whatTheLedgerRefusesAsChangedIsTold() throws {
        let (site, cookie) = try site()
        let refusal = ErrorAnswer(error: "changed_since", message: "Something has happened.")
        site.api.answer(.grants(user: "42"), method: "POST", status: 409, with: refusal)
        let sent = Self.form.map { $0.0 == "seen" ? ("seen", "e-7.0") : $0 }
        let told = try site.send("/console/users/42/grant", form: sent, cookie: cookie)
        #expect(told.status == 409 && told.text.contains("Something has happened.") && told.text.contains("ticket 7"))
        #expect(told.text.contains(#"name="sure" value="pro""#), "what was asked about once is not asked again")
    }

    @Test(arguments: UserAction.all.map(\.word)) func theDoorOfEachActionAsksForItsRight(_ word: String) throws {
        let (site, cookie) = try site(rights: [.read])
        #expect(try site.send("/console/users/42/\(word)", cookie: cookie).status == 403)
        #expect(try site.send("/console/users/42/\(word)", form: Self.form, cookie: cookie).status == 403)
        #expect(site.api.questions.isEmpty)
        let (full, own) = try self.site()
        #expect(try full.send("/console/users/42/\(word)", cookie: own).status == 200)
        #expect(try full.send("/console/users/42/\(word)", form: Self.form, headers: [], cookie: own).status == 403)
        #expect(try full.send("/console/users/42/\(word)").status == 401)
    }

    @Test func anErasureSaysWhatItErased() throws {
        let (site, cookie) = try site()
        let erased = ErasureAnswer(contracts: 1, orders: 2, events: 3, fragments: 4, since: Fixture.cursor)
        site.api.answer(.user("42"), method: "DELETE", with: erased)
        let form = [("reason", "asked for"), ("confirm", "42"), ("seen", "0.0")]
        let answer = try site.send("/console/users/42/erase", form: form, cookie: cookie)
        #expect(answer.status == 200 && answer.text.contains("Erased: 1 contract, 2 orders and 3 entries."))
        let asked = try #require(site.api.questions.first { $0.method == "DELETE" })
        #expect(asked.query["reason"] == "asked for")
    }

    /// A slip, perhaps: any product opens the only entitlement of a server whose catalog names none.
    @Test func aProductThatNobodyKnowsIsAskedAboutOnceMore() throws {
        let (site, cookie) = try site()
        site.api.answer(.catalog, with: CatalogAnswer(Catalog(["pro.monthly": .unknown])))
        site.api.answer(.grants(user: "42"), method: "POST", status: 201, with: Self.grant)
        func send(_ product: String, sure: String = "") throws -> Response {
            let others = Self.form.filter { !["product", "sure"].contains($0.0) }
            let form = others + [("product", product), ("sure", sure)]
            return try site.send("/console/users/42/grant", form: form, cookie: cookie)
        }
        let asked = try send("pro.montly")
        #expect(asked.status == 200 && asked.text.contains("No product is called pro.montly"), "\(asked.text)")
        #expect(asked.text.contains("Did you mean pro.monthly?"))
        #expect(asked.text.contains(#"name="sure" value="pro.montly""#))
        #expect(site.api.questions.allSatisfy { $0.method == "GET" })
        // Another one than the one that was asked about.
        #expect(try send("pro.mon", sure: "pro.montly").status == 200)
        #expect(try send("pro.montly", sure: "pro.montly").status == 303)
        #expect(try send("pro.monthly").status == 303)
        let order = Order(token: .random(), user: "42", product: "course")
        let orders = [Fixture.order(order, createdAt: Fixture.now)]
        site.api.answer(.user("42"), with: Fixture.record(orders: orders))
        #expect(try send("course").status == 303)
    }

    /// What the buyer's receipt names is as good as the event's id. Nothing is claimed before somebody has seen what it is.
    @Test func aClaimTakesWhatASearchFinds() throws {
        let (site, cookie) = try site()
        let hit = SearchAnswer.Hit(kind: "contract", id: "1001", user: nil, cursor: Fixture.cursor)
        site.api.answer(.search, with: SearchAnswer(query: "1001", found: [hit]))
        var event = Fixture.event(.subscriptionStarted)
        event.product = "pro.monthly"
        site.api.answer(
            .event(id: Fixture.cursor),
            with: EventAnswer(event: event, newer: nil, statement: nil, way: nil)
        )
        let form = [("event", "1001"), ("reason", "x"), ("seen", "0.0")]
        let shown = try site.send("/console/users/42/claim", form: form, cookie: cookie).text
        for part in ["Nothing was done yet", "pro.monthly", #"name="shown" value="1001""#, "<bdi>nobody</bdi>"] {
            #expect(shown.contains(part), "\(part): \(shown)")
        }
        #expect(site.api.questions.allSatisfy { $0.method == "GET" })
        // A link names the event, so the first page shows the purchase.
        let linked = try site.send("/console/users/42/claim?event=1001", cookie: cookie).text
        #expect(linked.contains(#"name="shown" value="1001""#) && !linked.contains("Nothing was done yet"))
        _ = try site.send("/console/users/42/claim", form: form + [("shown", "1001")], cookie: cookie)
        let asked = try #require(site.api.questions.first { $0.method == "POST" })
        #expect(JSON.decode(ClaimRequest.self, from: asked.body) == ClaimRequest(event: "event-7", reason: "x"))
    }

    @Test func aDryRunShowsWhatWouldChange() throws {
        let (site, cookie) = try site()
        var change = ReplayAnswer.Change(event: "e1", contract: "1001")
        (change.before, change.after) = ("expired", "active")
        let answer = ReplayAnswer(read: 3, changes: [change], skipped: [], told: [], left: [], next: nil)
        site.api.answer(.replays, method: "POST", with: answer)
        let page = try site.send("/console/users/42/dry-run", form: Self.form, cookie: cookie)
        #expect(page.status == 200 && page.text.contains("<td>ended</td><td>active</td>"))
        let asked = try #require(site.api.questions.first { $0.method == "POST" })
        #expect(
            JSON.decode(ReplayRequest.self, from: asked.body)
                == ReplayRequest(mode: .dryRun, user: "42", reason: "ticket 7")
        )
    }

    @Test func aRecoveryIsFollowedToItsEnd() throws {
        let (site, cookie) = try site()
        var recovery = RecoveryAnswer("r1", of: .apple, at: "node", now: Fixture.now)
        site.api.answer(.recoveries, method: "POST", status: 202, with: recovery)
        (recovery.state, recovery.found, recovery.recovered) = (.done, 2, 1)
        site.api.answer(.recovery(id: "r1"), with: recovery)
        let form = Self.form + [("provider", "apple")]
        let page = try site.send("/console/users/42/recover", form: form, cookie: cookie)
        #expect(page.text.contains("Apple had 2 messages: 1 of them had never arrived"), "\(page.text)")
        (recovery.state, recovery.problems) = (.failed, ["Apple does not answer."])
        site.api.answer(.recovery(id: "r1"), with: recovery)
        let failed = try site.send("/console/users/42/recover", form: form, cookie: cookie)
        #expect(failed.status == 409 && failed.text.contains("Apple does not answer."), "\(failed.text)")
    }
}
