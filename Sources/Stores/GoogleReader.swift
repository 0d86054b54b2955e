internal import Crypto
public import Domain
public import Providers

/// `POST /webhooks/google`: proves who pushes, then reads what the notification is about. Blocks.
public struct GoogleReader: StoreVerifier {
    /// Which packages are ours.
    public enum Packages: Sendable {
        /// Development only.
        case any
        case only(Set<String>)

        func contains(_ package: String) -> Bool {
            switch self {
            case .any: true
            case .only(let packages): packages.contains(package)
            }
        }
    }

    private let packages: Packages
    private let expected: GooglePushToken.Expectation
    private let keys: GoogleKeys
    private let api: GooglePlayAPI
    private let clock: @Sendable () -> Instant

    /// `clock` tells when a reading begins: later than the delivery, when another reading was under way.
    public init(
        packages: Packages,
        expected: GooglePushToken.Expectation,
        keys: GoogleKeys,
        api: GooglePlayAPI,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.packages = packages
        self.expected = expected
        self.keys = keys
        self.api = api
        self.clock = clock
    }

    public var asksStore: Bool { true }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        let token = try GooglePushToken(delivery.authorization)
        try token.check(expected, key: try key(token.keyID, now), now: now)
        let notification = GoogleNotification(delivery.body)
        guard let package = notification.package else { return notification.event(nil, body: delivery.body, now: now) }
        guard packages.contains(package) else { throw .wrongApp }
        do throws(StoreAPIError) {
            let read = try api.purchase(notification.subject, of: package, clock: clock)
            return notification.event(read?.purchase, body: delivery.body, now: now)
        } catch {
            throw .storeUnreachable
        }
    }

    private func key(_ id: String, _ now: Instant) throws(VerificationError) -> RSAPublicKey? {
        do throws(StoreAPIError) {
            return try keys.key(id, now: now)
        } catch {
            throw .storeUnreachable
        }
    }
}
