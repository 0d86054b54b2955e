import Crypto
import Domain
import HTTPClient
import Providers
import Simulator
import Stores
import TestSupport

/// The client, the stand-in of Apple's API behind a real socket, and a simulated store that both trust.
struct AppleStage {
    static let authority = Result { try DevelopmentAuthority.create() }
    static let now = Instant(milliseconds: 1_767_225_600_000)
    static let bundle = "com.example.paycast"

    let signer: StoreSigner
    let standIn: AppleStandIn
    let server: AnsweringServer
    let api: AppleServerAPI

    /// `roots`: whom the client trusts. `answer` may take a request from the stand-in.
    init(
        roots: TrustedRoots? = nil,
        environments: Set<StoreEnvironment> = [.production, .sandbox],
        timeout: Duration = .seconds(5),
        answer: @escaping @Sendable (AnsweringServer.Request) -> AnsweringServer.Answer? = { _ in nil }
    ) throws {
        let authority = try AppleStage.authority.get()
        let signer = StoreSigner(chain: authority.chain, key: authority.leafKey)
        let standIn = AppleStandIn(signer: signer, now: { AppleStage.now }, webhook: { nil })
        server = AnsweringServer { request in answer(request) ?? standIn.serve(request) }
        let url = server.url
        let verifier = AppleVerifier(
            try AppleConfiguration(
                bundleIDs: .only([AppleStage.bundle]),
                appIDs: .only([1_234_567_890]),
                environments: environments,
                roots: roots ?? TrustedRoots(pem: authority.root) ?? .apple
            )
        )
        api = AppleServerAPI(
            key: try .generate(.p256),
            keyID: "ABC123DEFG",
            issuer: "57246542-96fe-1a63-e053-0824d011072a",
            app: AppleStage.bundle,
            verifier: verifier,
            addresses: Dictionary(uniqueKeysWithValues: environments.map { ($0, "\(url)/\($0.rawValue)") }),
            client: HTTPClient(timeout: timeout)
        )
        (self.signer, self.standIn) = (signer, standIn)
    }

    /// What the simulated store says; the stand-in remembers it.
    @discardableResult
    func say(
        _ type: String = "SUBSCRIBED",
        _ subtype: String? = nil,
        lineage: String = "2000000000000007",
        period: Int = 0,
        product: String = "paycast.pro.monthly",
        kind: ProductKind = .subscription,
        in environment: StoreEnvironment = .sandbox,
        at now: Instant = AppleStage.now,
        isLost: Bool = false
    ) throws -> SimulatedNotification {
        var facts = SimulatedSubscription(product: product, kind: kind, lineage: lineage, state: .active)
        facts.accessUntil = now + .seconds(period * 2_592_000 + 1000)
        var notification = SimulatedNotification(
            type: type,
            subtype: subtype,
            subscription: facts,
            token: nil,
            bundleID: AppleStage.bundle,
            now: now
        )
        notification.environment = environment
        let body = try SimulatedAppStore(signer: signer).body(notification)
        let document = AppleStandIn.document(for: body, event: notification.id, isLost: isLost)
        let path = document.path.split(separator: "?").map(String.init)
        let request = StandInRequest(
            method: "PUT",
            path: path[0],
            query: { $0 == "lost" && isLost ? "true" : nil },
            body: document.json
        )
        guard standIn.answer(request)?.status == 200 else { throw StageError.notRemembered }
        return notification
    }

    enum StageError: Error {
        case notRemembered
    }
}

extension AppleStandIn {
    /// Over a real socket.
    func serve(_ request: AnsweringServer.Request) -> AnsweringServer.Answer {
        let answer = answer(
            StandInRequest(
                method: request.method,
                path: request.path,
                query: { request.parameter($0) },
                authorization: request.header("Authorization"),
                body: Array(request.body.utf8)
            )
        )
        guard let answer else { return AnsweringServer.Answer(404, "{}") }
        return AnsweringServer.Answer(answer.status, answer.body)
    }
}
