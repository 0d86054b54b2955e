import Crypto
import Domain
import Encoding

/// `POST /webhooks/google`: verifies the sender, then reads the purchase that the notification is about. Blocks.
struct GoogleVerifier: StoreVerifier {
    /// Which packages are ours; `any` is for development only.
    let packages: Allowlist<String>
    /// The package of a posted purchase that names none, when there may be several.
    var standardPackage: String?
    let expected: GooglePushToken.Expectation
    let keys: GoogleKeys
    let api: GooglePlayAPI
    /// Tells an operator why Google has to retry.
    var report: @Sendable (StoreAPIError) -> Void = { _ in }

    var asksStore: Bool { true }
    var answers: WebhookAnswers { WebhookAnswers(isEmpty: true, untrusted: 401) }

    func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        let token = try GooglePushToken(delivery.authorization)
        let key = try asking { () throws(StoreAPIError) in try keys.key(token.keyID, now: now) }
        try token.check(expected, key: key, now: now)
        let notification = GoogleNotification(delivery.body)
        return notification.event(try read(notification, now: now), body: delivery.body, now: now)
    }

    /// Interprets the stored answer, without jobs: what had to be acknowledged then has been, or never will be.
    /// Returns nil for a notification whose purchase was not read.
    func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        guard let record = StoredReading(stored.body) else { return nil }
        var event: Event
        switch record.cause {
        case .notification(let body):
            let notification = GoogleNotification(body)
            guard let package = notification.package,
                let reading = try interpret(record, about: notification.subject, in: package)
            else { return nil }
            event = notification.event(reading, body: body, now: stored.receivedAt)
        case .purchase(let token, let isSubscription):
            let subject = GoogleSubject(token: token, isSubscription: isSubscription)
            guard let purchase = try interpret(record, about: subject, in: stored.app)?.purchase else { return nil }
            event = purchase.statement(body: stored.body, id: stored.id)
        }
        // The id of the purchase's first product: further ones are stored under it, `#` and a suffix. Older versions
        // derived the id of a void from its message.
        event.id = String(decoding: stored.id.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        event.body = stored.body
        event.jobs = []
        return event
    }

    /// Returns nil for an answer that is no longer understood: it has counted already, and must not look as if it had
    /// said nothing.
    private func interpret(
        _ record: StoredReading,
        about subject: GoogleSubject?,
        in package: String
    ) throws(VerificationError) -> GoogleReading? {
        guard packages.contains(package) else { throw .wrongApp }
        return try? api.interpret(record.answer, of: subject, in: package)
    }

    private func read(_ notification: GoogleNotification, now: Instant) throws(VerificationError) -> GoogleReading {
        guard let package = notification.package else { return GoogleReading() }
        guard packages.contains(package) else { throw .wrongApp }
        return try asking { () throws(StoreAPIError) in
            let reading = try api.read(notification.subject, of: package)
            if reading.gap == .unknown, notification.isNewPurchase(at: now) {
                throw StoreAPIError.notYetKnown(reason: "a purchase from the last hour")
            }
            return reading
        }
    }

    private func asking<Answer>(
        _ ask: () throws(StoreAPIError) -> Answer
    ) throws(VerificationError) -> Answer {
        do throws(StoreAPIError) {
            return try ask()
        } catch {
            report(error)
            throw .storeUnreachable(error.silence)
        }
    }
}

extension Allowlist {
    /// The only value; nil when there may be several.
    var single: Value? {
        if case .only(let values) = self, values.count == 1 { values.first } else { nil }
    }
}

/// `POST /transactions/google`: a purchase that an app holds. It may arrive before Google's push.
extension GoogleVerifier {
    /// Google's present statement about the purchase, as an event like a webhook's. An app may post the same purchase
    /// each time it starts; as long as Google's answer stays the same, that is one event.
    func read(_ posted: PostedGooglePurchase, now: Instant) throws(VerificationError) -> Event {
        guard let package = posted.package ?? packages.single ?? standardPackage else {
            throw .malformed(.missingPackage)
        }
        guard packages.contains(package) else { throw .wrongApp }
        let known: String? =
            switch posted.name {
            case .token(let token): token
            case .order(let number):
                try asking { () throws(StoreAPIError) in try api.token(ofOrder: number, in: package, now: now) }
            }
        guard let token = known else { throw .untrusted(.unknownPurchase) }
        // Both kinds, the likelier one first: a token does not say whether it is a subscription's.
        let kind = posted.product.flatMap { api.catalog[$0]?.kind } ?? .subscription
        for isSubscription in [kind == .subscription, kind != .subscription] {
            let subject = GoogleSubject(token: token, isSubscription: isSubscription)
            let reading = try asking { () throws(StoreAPIError) in
                try api.read(subject, of: package, keepsDate: true)
            }
            if let event = reading.posted(subject) { return event }
        }
        throw .untrusted(.unknownPurchase)
    }
}

/// The bearer token of a Pub/Sub push: an OpenID Connect token of the subscription's service account
/// (https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions), split but not verified.
struct GooglePushToken: Sendable {
    /// How far Google's clock and ours may differ, in seconds.
    private static let tolerance: Int64 = 300
    private static let issuers: Set = ["https://accounts.google.com", "accounts.google.com"]
    /// Genuine ones have about 900 bytes.
    private static let limit = 8192

    private let jws: JWS
    /// The id of Google's key that signed it.
    let keyID: String

    init(_ authorization: String?) throws(VerificationError) {
        let words = (authorization ?? "").split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer", words[1].utf8.count <= GooglePushToken.limit,
            let jws = try? JWS(String(words[1])), let json = Base64URL.decode(jws.header),
            let header = try? StoreObject(json), header["alg"]?.text == "RS256", header["crit"] == nil,
            header["b64"] == nil, let keyID = header["kid"]?.text, isValidIdentifier(keyID)
        else { throw .untrusted(.unauthorized) }
        self.jws = jws
        self.keyID = keyID
    }

    /// The expected receiver of a push, and the email address of the service account that sends it.
    typealias Expectation = (audience: String, account: String)

    func check(_ expected: Expectation, key: RSAPublicKey?, now: Instant) throws(VerificationError) {
        guard let key, key.isValid(jws.signature, for: jws.signedBytes) else { throw .untrusted(.badSignature) }
        guard let claims = try? StoreObject(try jws.payload()),
            let issuer = claims["iss"]?.text, GooglePushToken.issuers.contains(issuer),
            claims["aud"]?.text == expected.audience, claims["email"]?.text == expected.account,
            claims["email_verified"]?.boolean == true, let issuedAt = claims["iat"]?.integer,
            let expiresAt = claims["exp"]?.integer
        else { throw .untrusted(.unauthorized) }
        guard issuedAt <= now.seconds + GooglePushToken.tolerance else { throw .untrusted(.signedInFuture) }
        guard expiresAt >= now.seconds - GooglePushToken.tolerance else { throw .untrusted(.signedInPast) }
    }
}
