import AppleStore
import Concurrency
import Crypto
import Domain
import GoogleStore
import HTTPClient
import Jobs
import Ledger
import Observability
import StoreInterface
import StripeStore
import TestSupport
import Testing

/// A store, or a staging server, that takes a question and does not answer holds up nobody but itself.
@Suite(.timeLimit(.minutes(10))) struct SlowDestinationTests {
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
    private final class Scene: Sendable {
        let ledger: LedgerStage
        let gate = Promise<Void>()
        let slow: AnsweringServer
        let good = AnsweringServer { _ in .init(200, "{}") }
        let apis: [Provider: any StoreAPI]
        private let stage: AppleStage
        private let given: Case

        init(_ given: Case) throws {
            self.given = given
            let gate = gate
            slow = AnsweringServer { _ in
                gate.wait()
                return .init(200, "{}")
            }
            let (slow, good) = (slow.url, good.url)
            let address: (Destination) -> String = { given.slow == $0 ? slow : good }
            stage = try AppleStage()
            ledger = try LedgerStage(apis: [.apple, .google, .stripe])
            let (google, apple) = (address(.google), address(.apple))
            apis = [.google: try Scene.google(google), .apple: try Scene.apple(apple, stage)]
        }

        private static func apple(_ url: String, _ stage: AppleStage) throws -> AppleServerAPI {
            AppleServerAPI(
                key: try .generate(.p256),
                keyID: "1",
                issuer: "1",
                app: AppleStage.bundle,
                verifier: stage.verifier,
                addresses: [.sandbox: url],
                client: HTTPClient(timeout: .seconds(60))
            )
        }

        static func google(_ url: String) throws -> GooglePlayAPI {
            let tokens = AnsweringServer { _ in .init(200, #"{"access_token":"ya29.1","expires_in":3599}"#) }
            let credentials = GoogleCredentials(
                account: "a@b",
                keyID: "1",
                key: try RSAPrivateKey.generate(),
                tokenAddress: tokens.url
            )
            return GooglePlayAPI(
                client: HTTPClient(timeout: .seconds(60)),
                clock: { AppleStage.now },
                credentials: { withExtendedLifetime(tokens) { credentials } },
                address: { url }
            )
        }

        func queue() throws {
            try stage.say()
            var event = try stage.api.transaction("2000000000000007", in: .sandbox, now: AppleStage.now)
            event.jobs = (0..<given.count).map { job(for: given.slow, slow.url, $0) }
            try ledger.send(event)
            (event.id, event.jobs) = ("next", [job(for: given.good, good.url, 0)])
            try ledger.send(event)
        }

        private func job(for destination: Destination, _ url: String, _ number: Int) -> Job {
            var job = Job(
                kind: .forward,
                provider: .apple,
                environment: .sandbox,
                app: AppleStage.bundle,
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
        let scene = try Scene(given)
        defer { scene.close() }
        try scene.queue()
        let runner = scene.ledger.runner(scene.apis)
        runner.start()
        try scene.ledger.wait { scene.slow.requests.count == 1 && scene.good.requests.count == 1 }
        let waiting = "paycast_jobs_waiting \(given.count)\n"
        try scene.ledger.wait { scene.ledger.metrics.page().contains(waiting) }
        // Not even one had to be given up for that.
        #expect(!scene.ledger.lines.all.contains { $0.contains("postponed") })
        scene.gate.fulfil(())
        try scene.ledger.wait { try scene.ledger.backlog().waiting == 0 }
        #expect(scene.slow.requests.count == given.count, "each once")
        runner.close()
    }

    /// What waits behind a hanging call is not begun any more.
    @Test func endWaitsForTheCallsThatRun() throws {
        let scene = try Scene(Case(slow: .google, good: .staging, count: 20))
        defer { scene.close() }
        try scene.queue()
        let runner = scene.ledger.runner(scene.apis)
        runner.start()
        try scene.ledger.wait { scene.slow.requests.count == 1 && scene.good.requests.count == 1 }
        runner.halt()
        scene.gate.fulfil(())
        runner.close()
        #expect(scene.slow.requests.count == 1)
        #expect(try scene.ledger.backlog().waiting == 19)
    }

    /// Both periods are over; Stripe is asked while Google is silent.
    @Test(arguments: [1, 3]) func renewalsAreFoundOutWhileAnotherStoreHangs(_ count: Int) throws {
        let scene = try Scene(Case(slow: .google, good: .staging))
        defer { scene.close() }
        for number in 0..<count { try scene.ledger.send(ended(.google, "token.\(number)")) }
        try scene.ledger.send(ended(.stripe, "sub_1"))
        let stripe = StripeAPI(key: "rk_test_1", address: scene.good.url)
        let apis: [Provider: any StoreAPI] = [.google: try Scene.google(scene.slow.url), .stripe: stripe]
        let reconciler = scene.ledger.reconciler(apis)
        reconciler.start()
        try scene.ledger.wait { scene.slow.requests.count == 1 && scene.good.requests.count == 1 }
        #expect(!scene.ledger.lines.all.contains { $0.contains("google") })
        reconciler.halt()
        scene.gate.fulfil(())
        reconciler.close()
        #expect(scene.slow.requests.count == 1)
    }

    private func ended(_ provider: Provider, _ lineage: String) -> Event {
        let contract = ContractKey(provider: provider, environment: .sandbox, app: "com.example", lineage: lineage)
        let snapshot = Snapshot(
            state: .active,
            product: "monthly",
            autoRenew: true,
            accessUntil: AppleStage.now - .seconds(1),
            signedAt: AppleStage.now - .seconds(60)
        )
        return Event(
            provider: provider,
            environment: .sandbox,
            app: "com.example",
            id: lineage,
            type: "T",
            kind: .subscriptionStarted,
            signedAt: AppleStage.now - .seconds(60),
            observation: Observation(contract: contract, kind: .subscription, snapshot: snapshot),
            body: []
        )
    }
}
