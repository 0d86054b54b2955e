internal import Crypto
public import Domain
public import StoreInterface

/// `POST /webhooks/google`: verifies the sender, then reads the purchase that the notification is about. Blocks.
public struct GoogleReader: StoreVerifier {
    /// Which packages are ours.
    public enum Packages: Sendable {
        /// For development only.
        case any
        case only(Set<String>)

        /// The only package; nil when there may be several.
        var single: String? {
            if case .only(let packages) = self, packages.count == 1 { packages.first } else { nil }
        }

        func contains(_ package: String) -> Bool {
            switch self {
            case .any: true
            case .only(let packages): packages.contains(package)
            }
        }
    }

    let packages: Packages
    /// The package of a posted purchase that names none, when there may be several.
    let standardPackage: String?
    private let expected: GooglePushToken.Expectation
    private let keys: GoogleKeys
    public let api: GooglePlayAPI
    let report: @Sendable (StoreAPIError) -> Void

    /// `report` tells an operator why Google has to retry.
    public init(
        packages: Packages,
        standardPackage: String? = nil,
        expected: GooglePushToken.Expectation,
        keys: GoogleKeys,
        api: GooglePlayAPI,
        report: @escaping @Sendable (StoreAPIError) -> Void = { _ in }
    ) {
        self.packages = packages
        self.standardPackage = standardPackage
        self.expected = expected
        self.keys = keys
        self.api = api
        self.report = report
    }

    public var asksStore: Bool { true }
    public var answers: WebhookAnswers { WebhookAnswers(isEmpty: true, untrusted: 401) }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        let token = try GooglePushToken(delivery.authorization)
        try token.check(expected, key: try key(token.keyID, now), now: now)
        let notification = GoogleNotification(delivery.body)
        let (reading, said) = try read(notification, now)
        let record = said.flatMap { StoredReading(.notification(delivery.body), $0) }
        return notification.event(reading, body: record?.bytes ?? delivery.body, now: now)
    }

    /// Interprets the stored answer, without jobs: what had to be acknowledged then has been, or never will be.
    /// Returns nil for a notification whose purchase was not read.
    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        guard let record = StoredReading(stored.body) else { return nil }
        var event: Event
        switch record.cause {
        case .notification(let body):
            let notification = GoogleNotification(body)
            guard let package = notification.package else { return nil }
            guard let reading = try interpret(record, notification.subject, package) else { return nil }
            event = notification.event(reading, body: stored.body, now: stored.receivedAt)
            // Older versions derived the id of a void from its message.
            event.id = stored.firstID
        case .subscription(let token):
            guard let told = try interpret(record, .subscription(token: token), stored) else { return nil }
            event = told
        case .product(let token):
            guard let told = try interpret(record, .product(token: token), stored) else { return nil }
            event = told
        }
        event.jobs = []
        return event
    }

    private func interpret(
        _ record: StoredReading,
        _ subject: GoogleNotification.Subject,
        _ stored: StoredDelivery
    ) throws(VerificationError) -> Event? {
        guard case .purchase(let purchase) = try interpret(record, subject, stored.app) else { return nil }
        return purchase.statement(body: stored.body, id: stored.firstID)
    }

    /// Returns nil for an answer that is no longer understood: it has counted already, and must not look as if it had
    /// said nothing.
    private func interpret(
        _ record: StoredReading,
        _ subject: GoogleNotification.Subject,
        _ package: String
    ) throws(VerificationError) -> GoogleReading? {
        guard packages.contains(package) else { throw .wrongApp }
        return try? api.interpret(record.said, of: subject, of: package)
    }

    private func read(
        _ notification: GoogleNotification,
        _ now: Instant
    ) throws(VerificationError) -> (reading: GoogleReading, said: StoredReading.Said?) {
        guard let package = notification.package else { return (.nothing, nil) }
        guard packages.contains(package) else { throw .wrongApp }
        do throws(StoreAPIError) {
            let read = try api.read(notification.subject, of: package)
            if case .unknown = read.reading, notification.isNewPurchase(at: now) {
                throw StoreAPIError.unavailable(reason: "it does not know a purchase of the last hour yet")
            }
            return read
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

extension StoredDelivery {
    /// The id of the event for the purchase's first product; further products are stored under it, `#` and a suffix.
    fileprivate var firstID: String {
        String(decoding: id.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }
}
