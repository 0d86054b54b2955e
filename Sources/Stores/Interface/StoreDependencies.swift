public import Crypto
public import Domain

/// Everything that a server gives a store in addition to the store's settings.
public struct StoreDependencies: Sendable {
    public var catalog = Catalog()
    public var clock: @Sendable () -> Instant
    /// Receives the result of each call to the store's API.
    public var observer: StoreCallObserver = { _ in }
    /// Receives the reason when a webhook is answered 503 because the store's API did not say what the webhook was
    /// about.
    public var report: @Sendable (StoreAPIError) -> Void = { _ in }
    /// Receives the account of each webhook that is ignored because the settings do not list that account.
    public var unlisted: @Sendable (_ account: String) -> Void = { _ in }
    /// Nil in production.
    public var development: StoreDevelopment?

    public init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }
}

/// Replacements for missing settings on a development server: a simulated store and its keys.
public struct StoreDevelopment: Sendable {
    /// The simulated Google's accounts: the one that calls its API, and the one that it pushes with.
    public typealias Account = (
        name: String, keyID: String, key: RSAPrivateKey, audience: String, pushAccount: String
    )

    /// The secrets with which the simulated store signs its webhooks, or which it sends in them.
    public var secret: String?
    /// The app that the simulated store sells for.
    public var app: String?
    /// The root of the certificates that it signs with, in PEM.
    public var root: String?
    public var account: Account?
    /// Where its API answers; nil before the server listens.
    public var address: @Sendable () -> String?

    public init(address: @escaping @Sendable () -> String?) {
        self.address = address
    }
}
