import Crypto
import Encoding
import Simulator
import TestSupport
import Testing

@testable import Domain
@testable import Stores

/// The client against the stand-in, over real sockets and with real signatures.
@Suite struct AppleServerAPITests {
    private let now = AppleFixture.now
    private let lineage = "2000000000000007"

    @Test func statusesAreSnapshots() throws {
        let fixture = try AppleFixture()
        try fixture.say("DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED")
        let events = try fixture.api.statuses(of: lineage, in: .sandbox, now: now)
        let snapshot = try #require(events.first?.observation?.snapshot)
        #expect(events.count == 1)
        #expect(snapshot.state == .cancelled)
        #expect(snapshot.autoRenew == false)
        #expect(events[0].type == "STATUS")
        #expect(events[0].observation?.contract.lineage == lineage)
    }

    @Test func statementIsKeptInAFormThatProvesAgain() throws {
        let fixture = try AppleFixture()
        try fixture.say()
        let event = try #require(try fixture.api.statuses(of: lineage, in: .sandbox, now: now).first)
        let authority = try AppleFixture.authority.get()
        let verifier = try AppleVerifier(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.sandbox],
            roots: try #require(TrustedRoots(pem: authority.root))
        )
        #expect(try verifier.verify(AppleStatementBody(StoreObject(event.body)), now: now) == event)
    }

    @Test func statementOfAContractIsItsOwn() throws {
        let fixture = try AppleFixture()
        try fixture.say()
        let key = ContractKey(provider: .apple, environment: .sandbox, app: AppleFixture.bundle, lineage: lineage)
        #expect(try fixture.api.statement(of: key, now: now)?.observation?.contract == key)
        var unknown = key
        unknown.lineage = "2000000000000008"
        #expect(try fixture.api.statement(of: unknown, now: now) == nil)
    }

    /// What nobody renewed in time has expired, and the store says so.
    @Test func endIsStated() throws {
        let fixture = try AppleFixture()
        try fixture.say(at: now - .seconds(40 * 86_400))
        let event = try #require(try fixture.api.statuses(of: lineage, in: .sandbox, now: now).first)
        #expect(event.observation?.snapshot?.state == .expired)
        #expect(event.kind == .subscriptionExpired)
        #expect(event.signedAt == now)
    }

    @Test func historyIsReadToItsEnd() throws {
        let fixture = try AppleFixture()
        for period in 0..<45 { try fixture.say("DID_RENEW", period: period) }
        let events = try fixture.api.history(of: lineage, in: .sandbox, now: now)
        #expect(Set(events.compactMap { $0.observation?.transaction?.id }).count == 45)
        #expect(events.allSatisfy { $0.observation?.snapshot == nil })
        #expect(fixture.server.requests.count == 3)
    }

    @Test func statementsAreBoth() throws {
        let fixture = try AppleFixture()
        for period in 0..<3 { try fixture.say("DID_RENEW", period: period) }
        let events = try fixture.api.statements(of: lineage, in: nil, now: now)
        #expect(events.count { $0.observation?.snapshot != nil } == 1)
        #expect(events.count { $0.observation?.snapshot == nil } == 3)
    }

    @Test func buyerWithoutSubscriptionsHasNoStatus() throws {
        let fixture = try AppleFixture()
        try fixture.say("ONE_TIME_CHARGE", product: "lifetime", kind: .nonConsumable)
        #expect(try fixture.api.statuses(of: lineage, in: .sandbox, now: now).isEmpty)
        let events = try fixture.api.statements(of: lineage, in: .sandbox, now: now)
        #expect(events.map { $0.observation?.kind } == [.nonConsumable])
    }

    /// Production is asked first; what is not known there is looked for in Sandbox, once.
    @Test func unknownEnvironmentIsFound() throws {
        let fixture = try AppleFixture()
        try fixture.say(in: .sandbox)
        #expect(try fixture.api.statements(of: lineage, in: nil, now: now).first?.environment == .sandbox)
        let asked = fixture.server.requests.map { $0.path.split(separator: "/")[0] }
        #expect(asked == ["Production", "Sandbox", "Sandbox"])
        let error = #expect(throws: StoreAPIError.self) {
            try fixture.api.statements(of: "2000000000000009", in: nil, now: now)
        }
        #expect(error?.isUnknownTransaction == true)
        #expect(fixture.server.requests.count == 5)
    }

    @Test func knownEnvironmentIsNotLeft() throws {
        let fixture = try AppleFixture()
        try fixture.say(in: .sandbox)
        #expect(throws: StoreAPIError.self) { try fixture.api.statuses(of: lineage, in: .production, now: now) }
        #expect(fixture.server.requests.count == 1)
    }

    @Test func accountTokenIsSetForLaterTransactions() throws {
        let fixture = try AppleFixture()
        let token = OrderToken.random()
        try fixture.say()
        let job = Job(
            kind: .setToken,
            provider: .apple,
            environment: .sandbox,
            app: AppleFixture.bundle,
            subject: lineage,
            detail: token.description
        )
        try fixture.api.perform(job, now: now)
        #expect(try fixture.api.statuses(of: lineage, in: .sandbox, now: now).first?.observation?.token == token)
    }

    @Test func finishedIsRecorded() throws {
        let fixture = try AppleFixture()
        try fixture.say(product: "coins", kind: .consumable)
        let job = Job(
            kind: .finish,
            provider: .apple,
            environment: .sandbox,
            app: AppleFixture.bundle,
            subject: lineage
        )
        try fixture.api.perform(job, now: now)
        #expect(fixture.server.requests.last?.path == "/Sandbox/inApps/v1/transactions/\(lineage)/finish")
        #expect(fixture.server.requests.last?.method == "POST")
    }

    @Test func notificationsComeInPages() throws {
        let fixture = try AppleFixture()
        var sent: Set<String> = []
        for second in 0..<45 { sent.insert(try fixture.say("TEST", at: now - .seconds(second))) }
        var query = HistoryQuery(start: now - .seconds(3600), end: now)
        var (bodies, pages) = ([[UInt8]](), 0)
        repeat {
            let page = try fixture.api.notificationHistory(query, in: .sandbox, now: now)
            bodies += page.bodies
            query.token = page.next
            pages += 1
        } while query.token != nil
        #expect(pages == 3)
        #expect(Set(try bodies.map { try fixture.verify($0).id }) == sent)
        #expect(Set(fixture.server.requests.map(\.body)).count == 1)
    }

    @Test func onlyFailuresAreThoseThatWereLost() throws {
        let fixture = try AppleFixture()
        try fixture.say(at: now - .seconds(10))
        let lost = try fixture.say("DID_RENEW", at: now - .seconds(5), isLost: true)
        var query = HistoryQuery(start: now - .seconds(3600), end: now)
        query.onlyFailures = true
        let page = try fixture.api.notificationHistory(query, in: .sandbox, now: now)
        #expect(try page.bodies.map { try fixture.verify($0).id } == [lost])
    }

    @Test(arguments: [(StoreEnvironment.production, 181), (.sandbox, 31)])
    func historyHasAnEnd(_ environment: StoreEnvironment, days: Int) throws {
        let fixture = try AppleFixture()
        let query = HistoryQuery(start: now - .seconds(days * 86_400), end: now)
        let error = #expect(throws: StoreAPIError.self) {
            try fixture.api.notificationHistory(query, in: environment, now: now)
        }
        #expect(error?.remedy == .laterPiece)
    }

    @Test func saysWhoAsks() throws {
        let fixture = try AppleFixture()
        _ = try? fixture.api.requestTest(in: .sandbox, now: now)
        let bearer = try #require(fixture.server.requests.last?.header("Authorization"))
        let parts = bearer.dropFirst("Bearer ".count).split(separator: ".")
        let head = try #require(Base64URL.decode(String(parts[0])))
        let claims = try #require(Base64URL.decode(String(parts[1])))
        #expect(String(decoding: head, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG","typ":"JWT"}"#)
        #expect(
            String(decoding: claims, as: UTF8.self) == #"{"aud":"appstoreconnect-v1","bid":"com.example.paycast","#
                + #""exp":1767225900,"iat":1767225600,"iss":"57246542-96fe-1a63-e053-0824d011072a"}"#
        )
        #expect(Base64URL.decode(String(parts[2]))?.count == 64)
    }

    @Test func withoutAWebhookThereIsNoTest() throws {
        let fixture = try AppleFixture()
        let error = #expect(throws: StoreAPIError.self) { try fixture.api.requestTest(in: .sandbox, now: now) }
        #expect(error?.description.contains("no URL for notifications is set") == true)
    }
}

extension AppleFixture {
    fileprivate func verify(_ body: [UInt8]) throws -> Event {
        try verifier.verify(body: body, now: AppleFixture.now)
    }
}
