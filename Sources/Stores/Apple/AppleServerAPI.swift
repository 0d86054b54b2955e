public import Crypto
public import Domain
public import HTTPClient

/// The App Store Server API (https://developer.apple.com/documentation/appstoreserverapi). Every signed answer is
/// verified like a notification: chain, app, environment. Calls block.
public struct AppleServerAPI: StoreAPI {
    /// The addresses of Apple's servers.
    public static let addresses: [StoreEnvironment: String] = [
        .production: "https://api.storekit.apple.com", .sandbox: "https://api.storekit-sandbox.apple.com",
    ]

    let line: AppleTransport
    let verifier: AppleVerifier
    /// The bundle id for calls that are not about a contract.
    let app: String

    /// `key`, `keyID` and `issuer` belong to the team's In-App Purchase key, so one key serves all its apps. Each call reads
    /// `address`, because a stand-in has no address before its server listens; an environment without one is never asked.
    public init(
        key: PrivateKey,
        keyID: String,
        issuer: String,
        app bundle: String,
        verifier: AppleVerifier,
        client: HTTPClient,
        observer: @escaping StoreCallObserver = { _ in },
        address: @escaping @Sendable (StoreEnvironment) -> String?
    ) {
        let tokens = AppleAPITokens(key: AppleSigningKey(key: key, id: keyID, issuer: issuer))
        line = AppleTransport(tokens: tokens, address: address, client: client, observer: observer)
        self.verifier = verifier
        app = bundle
    }

    private init(_ line: AppleTransport, verifier: AppleVerifier, app: String) {
        self.line = line
        self.verifier = verifier
        self.app = app
    }

    /// The same API for another app of the team.
    public func of(_ app: String) -> AppleServerAPI {
        AppleServerAPI(line, verifier: verifier, app: app)
    }

    /// Apple knows nothing of what was bought in Xcode.
    public func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event? {
        guard contract.environment != .xcode else { return nil }
        do throws(StoreAPIError) {
            let events = try of(contract.app).statuses(of: contract.lineage, in: contract.environment, now: now)
            return events.first { $0.observation?.contract == contract }
        } catch {
            guard error.isUnknownTransaction else { throw error }
            return nil
        }
    }

    public func perform(_ job: Job, now: Instant) throws(StoreAPIError) {
        guard job.environment != .xcode else { return }
        let api = of(job.app)
        switch (job.kind, job.detail.flatMap { OrderToken($0) }) {
        case (.finish, _): try api.finish(job.subject, in: job.environment, now: now)
        case (.setToken, let token?):
            try api.setAccountToken(token, of: job.subject, in: job.environment, now: now)
        default:
            throw .refused(status: 0, code: nil, reason: "Apple's API has no call for this job: \(job.kind.rawValue)")
        }
    }
}
