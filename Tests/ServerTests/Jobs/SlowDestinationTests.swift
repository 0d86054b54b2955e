import Crypto
import HTTPClient
import Ledger
import Support
import TestSupport
import Testing

@testable import Domain
@testable import Server
@testable import Stores

/// A store, or a staging server, that takes a question and does not answer holds up nobody but itself.
@Suite(.blocking) struct SlowDestinationTests {
    enum Destination: String, CaseIterable, Sendable {
        case google, apple, staging
        case other = "another staging server"
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var slow: Destination
        var good: Destination
        var count = 1

        var testDescription: String { "\(slow.rawValue) does not answer \(count), \(good.rawValue) is told" }
    }

    /// Three servers, of which one answers when the test says so, and not before.
    private final class Fixture: Sendable {
        let ledger: LedgerFixture
        let gate = Promise<Void>()
        let slow: AnsweringServer
        let good = AnsweringServer { _ in .init(200, body: "{}") }
        let apis: [Provider: any StoreAPI]
        private let fixture: AppleFixture
        private let given: Case

        init(_ given: Case) throws {
            self.given = given
            let gate = gate
            slow = AnsweringServer { _ in
                gate.wait()
                return .init(200, body: "{}")
            }
            let (slow, good) = (slow.url, good.url)
            let address: (Destination) -> String = { given.slow == $0 ? slow : good }
            fixture = try AppleFixture()
            ledger = try LedgerFixture(apis: [.apple, .google, .stripe])
            let (google, apple) = (address(.google), address(.apple))
            apis = [.google: try Fixture.google(google), .apple: try Fixture.apple(apple, in: fixture)]
        }

        private static func apple(_ url: String, in fixture: AppleFixture) throws -> AppleServerAPI {
            AppleServerAPI(
                key: try .generate(.p256),
                keyID: "1",
                issuer: "1",
                app: AppleFixture.bundle,
                verifier: fixture.verifier,
                client: HTTPClient(timeout: .seconds(60))
            ) { $0 == .sandbox ? url : nil }
        }

        static func google(_ url: String) throws -> GooglePlayAPI {
            let tokens = AnsweringServer { _ in .init(200, body: #"{"access_token":"ya29.1","expires_in":3599}"#) }
            let credentials = GoogleCredentials(
                account: "a@b",
                keyID: "1",
                key: try RSAPrivateKey.generate(),
                tokenAddress: tokens.url
            )
            return GooglePlayAPI(
                client: HTTPClient(timeout: .seconds(60)),
                clock: { AppleFixture.now },
                credentials: { withExtendedLifetime(tokens) { credentials } },
                address: { url }
            )
        }

        func queue() throws {
            try fixture.say()
            let known = try fixture.api.history(of: "2000000000000007", in: .sandbox, now: AppleFixture.now)
            var event = try #require(known.first)
            event.jobs = (0..<given.count).map { job(for: given.slow, url: slow.url, number: $0) }
            try ledger.send(event)
            (event.id, event.jobs) = ("next", [job(for: given.good, url: good.url, number: 0)])
            try ledger.send(event)
        }

        private func job(for destination: Destination, url: String, number: Int) -> Job {
            var job = Job(
                kind: .forward,
                provider: .apple,
                environment: .sandbox,
                app: AppleFixture.bundle,
                subject: "\(url)/\(destination.rawValue.prefix(7))",
                detail: "products/\(number)"
            )
            switch destination {
            case .google: (job.kind, job.provider, job.subject) = (.acknowledge, .google, "token.\(number)")
            case .apple: (job.kind, job.subject) = (.finish, "20000000\(number)")
            case .staging, .other: break
            }
            return job
        }

        func close() {
            gate.fulfil(())
            ledger.close()
        }
    }

    /// The slow one's jobs are older, and more than one round takes.
    @Test(arguments: [
        Case(slow: .google, good: .staging), Case(slow: .google, good: .apple), Case(slow: .apple, good: .google),
        Case(slow: .staging, good: .google), Case(slow: .staging, good: .other),
        Case(slow: .google, good: .apple, count: 120), Case(slow: .staging, good: .google, count: 120),
    ]) func holdsUpNobodyElse(_ given: Case) throws {
        let fixture = try Fixture(given)
        defer { fixture.close() }
        try fixture.queue()
        let runner = fixture.ledger.runner(fixture.apis)
        runner.start()
        try fixture.ledger.wait { fixture.slow.requests.count == 1 && fixture.good.requests.count == 1 }
        let waiting = "paycast_jobs_waiting \(given.count)\n"
        try fixture.ledger.wait { fixture.ledger.metrics.page().contains(waiting) }
        // Not even one had to be given up for that.
        #expect(!fixture.ledger.lines.all.contains { $0.contains("postponed") })
        fixture.gate.fulfil(())
        try fixture.ledger.wait { try fixture.ledger.backlog().waiting == 0 }
        #expect(fixture.slow.requests.count == given.count, "each once")
        runner.close()
    }

    /// What waits behind a hanging call is not begun any more.
    @Test func endWaitsForTheCallsThatRun() throws {
        let fixture = try Fixture(Case(slow: .google, good: .staging, count: 20))
        defer { fixture.close() }
        try fixture.queue()
        let runner = fixture.ledger.runner(fixture.apis)
        runner.start()
        try fixture.ledger.wait { fixture.slow.requests.count == 1 && fixture.good.requests.count == 1 }
        runner.halt()
        fixture.gate.fulfil(())
        runner.close()
        #expect(fixture.slow.requests.count == 1)
        #expect(try fixture.ledger.backlog().waiting == 19)
    }

    /// Both periods are over; Stripe is asked while Google is silent.
    @Test(arguments: [1, 3]) func renewalsAreFoundOutWhileAnotherStoreHangs(_ count: Int) throws {
        let fixture = try Fixture(Case(slow: .google, good: .staging))
        defer { fixture.close() }
        for number in 0..<count { try fixture.ledger.send(ended(.google, lineage: "token.\(number)")) }
        try fixture.ledger.send(ended(.stripe, lineage: "sub_1"))
        let stripe = StripeAPI(key: "rk_test_1", address: fixture.good.url)
        let apis: [Provider: any StoreAPI] = [.google: try Fixture.google(fixture.slow.url), .stripe: stripe]
        let checkers = fixture.ledger.checkers(apis)
        for checker in checkers { checker.start() }
        try fixture.ledger.wait { fixture.slow.requests.count == 1 && fixture.good.requests.count == 1 }
        #expect(!fixture.ledger.lines.all.contains { $0.contains("google") })
        for checker in checkers { checker.halt() }
        fixture.gate.fulfil(())
        for checker in checkers { checker.close() }
        #expect(fixture.slow.requests.count == 1)
    }

    private func ended(_ provider: Provider, lineage: String) -> Event {
        let contract = ContractKey(provider: provider, environment: .sandbox, app: "com.example", lineage: lineage)
        let snapshot = Snapshot(
            state: .active,
            product: "monthly",
            autoRenew: true,
            accessUntil: AppleFixture.now - .seconds(1),
            signedAt: AppleFixture.now - .seconds(60)
        )
        return Event(
            provider: provider,
            environment: .sandbox,
            app: "com.example",
            id: lineage,
            type: "T",
            kind: .subscriptionStarted,
            signedAt: AppleFixture.now - .seconds(60),
            observation: Observation(contract: contract, kind: .subscription, snapshot: snapshot),
            body: []
        )
    }
}
