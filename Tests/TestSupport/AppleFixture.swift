public import Crypto
public import Domain
import HTTPClient
public import Simulator
public import Stores

/// The client, the stand-in of Apple's API behind a real socket, and a simulated store that both trust.
public struct AppleFixture: Sendable {
    public static let authority = Result { try DevelopmentAuthority.create() }
    public static let now = Instant(milliseconds: 1_767_225_600_000)
    public static let bundle = "com.example.paycast"

    public let signer: AppStoreSigner
    public let standIn: AppleStandIn
    public let server: AnsweringServer
    public let api: AppleServerAPI
    public let verifier: AppleVerifier

    /// `roots`: whom the client trusts. `answer` may take a request from the stand-in.
    public init(
        roots: TrustedRoots? = nil,
        environments: Set<StoreEnvironment> = [.production, .sandbox],
        timeout: Duration = .seconds(60),
        answer: @escaping @Sendable (AnsweringServer.Request) -> AnsweringServer.Answer? = { _ in nil }
    ) throws {
        let authority = try AppleFixture.authority.get()
        let signer = AppStoreSigner(chain: authority.chain, key: authority.leafKey)
        let standIn = AppleStandIn(signer: signer, now: { AppleFixture.now }, webhook: { nil })
        server = AnsweringServer { request in answer(request) ?? standIn.serve(request) }
        let url = server.url
        let verifier = try AppleVerifier(
            bundleIDs: .only([AppleFixture.bundle]),
            appIDs: .only([1_234_567_890]),
            environments: environments,
            roots: roots ?? TrustedRoots(pem: authority.root) ?? .apple
        )
        let addresses = Dictionary(uniqueKeysWithValues: environments.map { ($0, "\(url)/\($0.rawValue)") })
        api = AppleServerAPI(
            key: try .generate(.p256),
            keyID: "ABC123DEFG",
            issuer: "57246542-96fe-1a63-e053-0824d011072a",
            app: AppleFixture.bundle,
            verifier: verifier,
            client: HTTPClient(timeout: timeout)
        ) { addresses[$0] }
        self.signer = signer
        self.standIn = standIn
        self.verifier = verifier
    }

    /// What the simulated store says; the stand-in remembers it. Returns the event's id.
    @discardableResult
    public func say(
        _ type: String = "SUBSCRIBED",
        subtype: String? = nil,
        lineage: String = "2000000000000007",
        period: Int = 0,
        product: String = "paycast.pro.monthly",
        kind: ProductKind = .subscription,
        in environment: StoreEnvironment = .sandbox,
        at now: Instant = AppleFixture.now,
        isLost: Bool = false
    ) throws -> String {
        var facts = Simulator.SimulatedSubscription(product: product, kind: kind, lineage: lineage)
        facts.state = .active
        facts.accessUntil = now + .seconds(period * 2_592_000 + 1000)
        var event = SimulatedEvent(type: type, subtype: subtype, facts: facts, now: now)
        (event.app, event.environment) = (AppleFixture.bundle, environment)
        let delivery = try SimulatedAppStore(signer: signer).delivery(event)
        guard standIn.remember(delivery.body, event: delivery.event, isLost: isLost) else {
            throw FixtureError.notRemembered
        }
        return delivery.event
    }

    /// What the store would post; the stand-in knows nothing of it.
    public func body(
        of type: String,
        in environment: StoreEnvironment = .sandbox,
        app: Int64 = 1_234_567_890
    ) throws -> [UInt8] {
        let facts = Simulator.SimulatedSubscription(product: "paycast.pro.monthly", lineage: "2000000000000007")
        var event = SimulatedEvent(type: type, facts: facts, now: AppleFixture.now)
        (event.app, event.appID, event.environment) = (AppleFixture.bundle, app, environment)
        return try SimulatedAppStore(signer: signer).body(event)
    }

    public enum FixtureError: Error {
        case notRemembered
    }
}

extension AppleStandIn {
    /// Over a real socket.
    public func serve(_ request: AnsweringServer.Request) -> AnsweringServer.Answer {
        var asked = StandInRequest(method: request.method, path: request.path, body: Array(request.body.utf8))
        asked.query = { request.parameter($0) }
        asked.authorization = request.header("Authorization")
        guard let answer = answer(asked) else { return AnsweringServer.Answer(404, body: "{}") }
        return AnsweringServer.Answer(answer.status, body: answer.body)
    }

    /// As the trigger tells it.
    public func remember(_ body: [UInt8], event id: String, isLost: Bool = false) -> Bool {
        let document = SimulatedAppStore.historyDocument(for: body, event: id, isLost: isLost)
        let path = document.path.split(separator: "?").map(String.init)
        var request = StandInRequest(method: "PUT", path: path[0], body: document.json)
        request.query = { $0 == "lost" && isLost ? "true" : nil }
        return answer(request)?.status == 200
    }
}
