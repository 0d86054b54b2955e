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
    private let report: @Sendable (StoreAPIError) -> Void

    /// `report` tells an operator why Google was asked to come back.
    public init(
        packages: Packages,
        expected: GooglePushToken.Expectation,
        keys: GoogleKeys,
        api: GooglePlayAPI,
        report: @escaping @Sendable (StoreAPIError) -> Void = { _ in }
    ) {
        self.packages = packages
        self.expected = expected
        self.keys = keys
        self.api = api
        self.report = report
    }

    public var asksStore: Bool { true }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        let token = try GooglePushToken(delivery.authorization)
        try token.check(expected, key: try key(token.keyID, now), now: now)
        let notification = GoogleNotification(delivery.body)
        let reading = try reading(of: notification, now)
        return notification.event(reading, body: delivery.body, now: now)
    }

    private func reading(of notification: GoogleNotification, _ now: Instant) throws(VerificationError) -> GoogleReading
    {
        guard let package = notification.package else { return .nothing }
        guard packages.contains(package) else { throw .wrongApp }
        do throws(StoreAPIError) {
            let reading = try api.read(notification.subject, of: package)
            if case .unknown = reading, notification.isNewPurchase(at: now) {
                throw StoreAPIError.unavailable(reason: "it does not know a purchase of the last hour yet")
            }
            return reading
        } catch {
            report(error)
            throw .storeUnreachable
        }
    }

    private func key(_ id: String, _ now: Instant) throws(VerificationError) -> RSAPublicKey? {
        do throws(StoreAPIError) {
            return try keys.key(id, now: now)
        } catch {
            report(error)
            throw .storeUnreachable
        }
    }
}
