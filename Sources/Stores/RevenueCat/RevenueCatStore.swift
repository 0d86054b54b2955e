import Crypto
public import Domain
public import Support

/// The settings of RevenueCat.
public struct RevenueCatStore: Store {
    public static let provider = Provider.revenuecat
    public static let title = "RevenueCat"
    public static let fields: KeyValuePairs<String, EventField> = [
        "Type": .type, "Reason or period": .subtype, "Event": .event, "Environment": .environment,
        "App": .app, "Product": .product, "New product": .next, "Transaction": .charge,
        "Original transaction": .contract, "App user id": .user, "Order attribute": .order,
        "Purchased": .bought, "Expiration": .paidUntil, "Refunded": .takenBack, "Price": .price,
        "Family share": .family, "Entitlements": .opens,
    ]
    public static let webhookSecret = "PAYCAST_REVENUECAT_AUTHORIZATION and PAYCAST_REVENUECAT_SECRETS"

    /// `PAYCAST_REVENUECAT_AUTHORIZATION`: the exact header value.
    public var authorization: Secret?
    /// `PAYCAST_REVENUECAT_SECRETS`: the signing secrets.
    public var secrets: [Secret]
    /// `PAYCAST_REVENUECAT_TOLERANCE` in seconds, 300; for the past and the future.
    public var tolerance: Duration
    private let isDevelopment: Bool

    public init(_ settings: inout SettingsReader) {
        authorization = settings.secret("PAYCAST_REVENUECAT_AUTHORIZATION")
        secrets = settings.secrets("PAYCAST_REVENUECAT_SECRETS")
        tolerance = .seconds(settings.number("PAYCAST_REVENUECAT_TOLERANCE", default: 300, in: 1...86_400))
        isDevelopment = settings.isDevelopment
    }

    public static func claimedID(of delivery: Delivery) -> String? {
        let event = ClaimedID.object(delivery.body)?.object("event")
        return event?.text("type") == nil ? nil : ClaimedID.uuid("id", in: event)
    }

    public var missingSettings: [String] {
        hasProof || isDevelopment ? [] : ["PAYCAST_REVENUECAT_AUTHORIZATION"]
    }

    private var hasProof: Bool { authorization != nil || !secrets.isEmpty }

    public mutating func reload(from new: RevenueCatStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_REVENUECAT_AUTHORIZATION", into: &authorization, from: new.authorization)
        changes.take("PAYCAST_REVENUECAT_SECRETS", into: &secrets, from: new.secrets)
    }

    /// In development, the simulated store's value is used when none is set.
    public func open(_ dependencies: StoreDependencies) -> RevenueCatVerifier? {
        var verifier = RevenueCatVerifier(
            authorization: hasProof ? authorization?.value : dependencies.development?.secret,
            secrets: secrets.map(\.value),
            tolerance: tolerance,
            catalog: dependencies.catalog
        )
        verifier?.timed = dependencies.timed
        return verifier
    }
}

/// Verifies that the sender of a webhook knows the `Authorization` value that was set in RevenueCat, that RevenueCat signed it,
/// or both, and interprets it. Without signatures there is no date to check; a replay is recognized by its id, and says
/// nothing new.
public struct RevenueCatVerifier: StoreVerifier, OpenStore {
    private let authorization: [UInt8]?
    private let secrets: [[UInt8]]
    private let tolerance: Duration
    private let catalog: Catalog
    var timed: @Sendable (StoreTime) -> Void = { _ in }

    /// `authorization` is the whole value of the header, and `secrets` sign; what is given is checked. Returns nil when there is
    /// nothing to check, or when something is empty, because anybody could send that. `tolerance` of a signature applies to the
    /// past and the future.
    public init?(
        authorization: String?,
        secrets: [String] = [],
        tolerance: Duration = .seconds(300),
        catalog: Catalog = Catalog()
    ) {
        let proofs = [authorization].compactMap(\.self) + secrets
        guard !proofs.isEmpty, !proofs.contains(where: \.isEmpty) else { return nil }
        self.authorization = authorization.map { Array($0.utf8) }
        self.secrets = secrets.map { Array($0.utf8) }
        self.tolerance = tolerance
        self.catalog = catalog
    }

    public var answers: WebhookAnswers { WebhookAnswers(untrusted: 401) }
    public var signatureHeader: StaticString? { "x-revenuecat-webhook-signature" }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        if let authorization {
            let given = delivery.authorization.map { Array($0.utf8) }
            guard let given, constantTimeCompare(given, with: authorization) else { throw .untrusted(.unauthorized) }
        }
        if !secrets.isEmpty {
            try TimestampedSignature.check(delivery, secrets: secrets, tolerance: tolerance, now: now, timed: timed)
        }
        return try event(delivery.body)
    }

    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? { try event(stored.body) }

    private func event(_ body: [UInt8]) throws(VerificationError) -> Event {
        let event = try RevenueCatEvent(body)
        return Event(
            provider: .revenuecat,
            environment: event.environment,
            app: event.app,
            id: event.id,
            type: event.type,
            subtype: event.subtype,
            kind: event.kind,
            signedAt: event.happenedAt,
            observation: event.observation(catalog),
            transfer: event.transfer,
            body: body
        )
    }
}
