public import Crypto
public import Domain
import Encoding

/// Verifies that a notification or a transaction comes from Apple and is for our apps, and interprets it.
///
/// Several threads may verify at the same time. A notification costs 0.3 ms of CPU time, two thirds of it for the three
/// signatures.
public struct AppleVerifier: StoreVerifier {
    /// The numeric Apple IDs of the apps.
    public enum AppIDs: Sendable, Equatable {
        /// For development, or if only Sandbox is served.
        case any
        /// These ids, whatever the app's bundle id.
        case only(Set<Int64>)
        /// One id for each bundle id. An app without one is not served in Production.
        case each([String: Int64])

        func contains(_ id: Int64?, of bundle: String) -> Bool {
            switch self {
            case .any: true
            case .only(let ids): id.map { ids.contains($0) } ?? false
            case .each(let ids): id != nil && ids[bundle] == id
            }
        }
    }

    /// `any` is for development only. If empty, every request fails with `notConfigured`.
    let bundleIDs: Allowlist<String>
    /// Compared only in Production: Sandbox payloads may leave it out.
    private let appIDs: AppIDs
    /// Where stores sell: Production, Sandbox or both. Xcode for what it signed itself, and then no other.
    private(set) var environments: Set<StoreEnvironment>
    let roots: TrustedRoots
    /// Supplies what a receipt does not say about its products.
    let catalog: Catalog
    private var checker: AppleSignatureVerifier
    /// For transactions of StoreKit testing in Xcode, which anybody could sign: nil outside of development.
    private var xcodeChecker: AppleSignatureVerifier?
    /// Verifies receipts.
    let messages: CMSVerifier
    /// Other servers that get every Sandbox notification: Apple takes only one address, and a team has many staging servers.
    ///
    /// Each gets the body that was posted here, signatures and all. The queue of jobs delivers it, so the answer to the store
    /// does not wait for it. Servers may forward to each other in a circle: a duplicate is never forwarded, so each server
    /// receives a notification at most twice.
    public var forwards: [String] = []

    /// Throws if Production is served and `appIDs` is an empty list. `any` does not throw, and accepts every app that
    /// shares the bundle id: `AppleStore` combines it with Production in development only.
    public init(
        bundleIDs: Allowlist<String>,
        appIDs: AppIDs,
        environments: Set<StoreEnvironment>,
        roots: TrustedRoots,
        acceptsXcode: Bool = false,
        catalog: Catalog = Catalog(),
        timed: @escaping @Sendable (StoreTime) -> Void = { _ in }
    ) throws(StoreError) {
        if !bundleIDs.isEmpty, environments.contains(.production), appIDs == .only([]) {
            let todo = "set it to the numeric Apple ID of the app"
            throw StoreError("PAYCAST_APPLE_APP_ID is required when Production is served: \(todo)")
        }
        self.bundleIDs = bundleIDs
        self.appIDs = appIDs
        self.environments = environments
        self.roots = roots
        self.catalog = catalog
        checker = AppleSignatureVerifier(roots: roots, timed: timed)
        xcodeChecker = acceptsXcode ? AppleSignatureVerifier(roots: nil) : nil
        messages = CMSVerifier(roots: roots)
    }

    /// The verifier of a transaction that an app posted. In development, one with a single certificate is Xcode's.
    func verifier(ofPosted transaction: String) -> AppleVerifier {
        guard let xcodeChecker, AppleSignatureVerifier.isInXcodesForm(transaction) else { return self }
        var verifier = self
        verifier.environments = [.xcode]
        verifier.checker = xcodeChecker
        verifier.xcodeChecker = nil
        return verifier
    }

    /// Adds the job of a question about a refund, and those that forward a Sandbox notification. A replay adds none: they were
    /// queued when it was new.
    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        let (verified, notification) = try open(delivery.body, now: now)
        var event = verified
        if let job = AppleRefundRequest.job(of: event, reason: notification.consumptionRequestReason, now: now) {
            event.jobs.append(job)
        }
        guard event.environment == .sandbox else { return event }
        event.jobs += forwards.map { address in
            var job = Job(kind: .forward, provider: .apple, environment: .sandbox, app: event.app, subject: address)
            // Without the id, the next notification for that server would count as the same job.
            job.detail = event.id
            return job
        }
        return event
    }

    /// Verifies what Apple posts to `/webhooks/apple`.
    public func verify(body: [UInt8], now: Instant) throws(VerificationError) -> Event {
        try open(body, now: now).event
    }

    private func open(_ body: [UInt8], now: Instant) throws(VerificationError)
        -> (event: Event, notification: AppleNotification)
    {
        guard !bundleIDs.isEmpty else { throw .notConfigured }
        let payload = try AppleNotification.payload(of: body)
        let (notification, header) = try checker.open(AppleNotification.self, from: payload, now: now)
        let (type, subtype) = (notification.type, notification.subtype)
        guard let claims = notification.claims, isValidIdentifier(notification.id), isValidIdentifier(type),
            subtype.map({ isValidIdentifier($0) }) ?? true
        else { throw .malformed(.invalidPayload) }
        let place = try admit(claims)
        let signedAt = notification.signedAt ?? now
        let consenter = try consenter(notification, at: place, now: now)
        let transaction = try transaction(notification.signedTransactionInfo, at: place, now: now)
        let renewal = try renewal(notification.signedRenewalInfo, of: transaction, at: place, now: now)
        let status = notification.status.flatMap { Int(exactly: $0) }
        let event = Event(
            provider: .apple,
            environment: place.environment,
            app: place.app,
            id: notification.id,
            type: type,
            subtype: subtype,
            kind: EventKind(appleType: type, subtype: subtype, isFamilyShared: transaction?.isFamilyShared ?? false),
            signedAt: signedAt,
            observation: transaction.map { transaction in
                let statement = status.map { AppleStatement(status: $0, transaction: transaction, renewal: renewal) }
                return observe(transaction, statement, at: place, outer: signedAt)
            },
            account: consenter,
            body: body,
            header: header
        )
        return (event, notification)
    }

    /// Verifies what an app or its backend posts: one transaction and perhaps its renewal info.
    ///
    /// A transaction alone gives no snapshot, because it states no status. The event's id is the same however often the
    /// same two signatures are posted.
    public func verify(
        transaction text: String,
        renewalInfo: String? = nil,
        body: [UInt8],
        now: Instant
    ) throws(VerificationError) -> Event {
        let (transaction, renewal, place, header) = try prove(text, renewalInfo: renewalInfo, now: now)
        let statement = AppleStatement(posted: transaction, renewal: renewal)
        let signedAt = statement?.signedAt ?? transaction.signedAt ?? now
        return Event(
            provider: .apple,
            environment: place.environment,
            app: place.app,
            id: transaction.clientEventID(beside: statement?.renewal),
            type: "TRANSACTION",
            subtype: transaction.transactionReason.flatMap { isValidIdentifier($0) ? $0 : nil },
            kind: statement?.kind ?? EventKind(appleTransaction: transaction),
            signedAt: signedAt,
            observation: observe(transaction, statement, at: place, outer: signedAt),
            body: body,
            header: header
        )
    }

    /// Verifies what Get All Subscription Statuses states about one subscription.
    ///
    /// The status itself is not signed; the connection to Apple vouches for it, so never accept one from elsewhere.
    func verify(_ stated: AppleStatementBody, now: Instant) throws(VerificationError) -> Event {
        let (transaction, renewal, place, header) = try prove(stated.transaction, renewalInfo: stated.renewal, now: now)
        let statement = AppleStatement(status: stated.status, transaction: transaction, renewal: renewal)
        let signedAt = statement.signedAt ?? now
        return Event(
            provider: .apple,
            environment: place.environment,
            app: place.app,
            id: statement.eventID,
            type: "STATUS",
            subtype: String(stated.status),
            kind: statement.kind,
            signedAt: signedAt,
            observation: observe(transaction, statement, at: place, outer: signedAt),
            body: stated.bytes,
            header: header
        )
    }
}

extension AppleVerifier {
    /// Verifies a transaction without a notification around it, so nothing states the app's numeric id.
    private func prove(
        _ text: String,
        renewalInfo: String?,
        now: Instant
    ) throws(VerificationError) -> (AppleTransaction, AppleRenewal?, ApplePlace, header: [UInt8]?) {
        guard !bundleIDs.isEmpty else { throw .notConfigured }
        let (transaction, header) = try open(transaction: text, now: now)
        let claims = AppleClaims(bundle: transaction.bundleId, app: nil, environment: transaction.environment)
        let place = try admit(claims, isAppIDStated: false)
        return (transaction, try renewal(renewalInfo, of: transaction, at: place, now: now), place, header)
    }

    private func open(transaction text: String, now: Instant) throws(VerificationError)
        -> (document: AppleTransaction, header: [UInt8]?)
    {
        let opened = try checker.open(AppleTransaction.self, from: text, now: now)
        guard opened.document.isPlausible else { throw .malformed(.invalidPayload) }
        return opened
    }

    private func transaction(_ text: String?, at place: ApplePlace, now: Instant) throws(VerificationError)
        -> AppleTransaction?
    {
        guard let text else { return nil }
        let transaction = try open(transaction: text, now: now).document
        guard transaction.bundleId == place.app, transaction.environment == place.environment.rawValue else {
            throw .untrusted(.mismatchedTransaction)
        }
        return transaction
    }

    private func renewal(
        _ text: String?,
        of transaction: AppleTransaction?,
        at place: ApplePlace,
        now: Instant
    ) throws(VerificationError) -> AppleRenewal? {
        guard let text else { return nil }
        let renewal = try checker.open(AppleRenewal.self, from: text, now: now).document
        guard renewal.isPlausible else { throw .malformed(.invalidPayload) }
        guard renewal.environment == place.environment.rawValue,
            transaction == nil || renewal.originalTransactionId == transaction?.originalTransactionId
        else { throw .untrusted(.mismatchedRenewal) }
        return renewal
    }

    /// The account whose consent was rescinded; nil for all other notifications.
    private func consenter(
        _ notification: AppleNotification,
        at place: ApplePlace,
        now: Instant
    ) throws(VerificationError) -> String? {
        guard let text = notification.signedAppTransactionInfo else { return nil }
        let download = try checker.open(AppleAppTransaction.self, from: text, now: now).document
        guard download.bundleId == place.app, download.receiptType == place.environment.rawValue,
            place.environment == .sandbox || download.appAppleId == notification.claims?.app
        else { throw .untrusted(.mismatchedTransaction) }
        return download.appTransactionId.flatMap { isValidIdentifier($0) ? $0 : nil }
    }

    private func observe(
        _ transaction: AppleTransaction,
        _ statement: AppleStatement?,
        at place: ApplePlace,
        outer: Instant
    ) -> Observation {
        let snapshot = statement?.snapshot(outer: outer)
        return transaction.observation(place.key(transaction.lineage), signedAt: outer, snapshot: snapshot)
    }
}

/// The app and environment of a document.
struct ApplePlace {
    var app: String
    var environment: StoreEnvironment

    func key(_ lineage: String) -> ContractKey {
        ContractKey(provider: .apple, environment: environment, app: app, lineage: lineage)
    }
}

/// Which apps and environments a server listens to.
extension AppleVerifier {
    /// Checks the app first, then the environment, as Apple's libraries do.
    func admit(_ claims: AppleClaims, isAppIDStated: Bool = true) throws(VerificationError) -> ApplePlace {
        guard let bundle = claims.bundle, isValidIdentifier(bundle), bundleIDs.contains(bundle) else {
            throw .wrongApp
        }
        let environment = claims.environment.flatMap { StoreEnvironment(rawValue: $0) }
        if environment == .production, isAppIDStated, !appIDs.contains(claims.app, of: bundle) {
            throw .wrongApp
        }
        guard let environment, environments.contains(environment) else {
            // A certificate of Xcode's proves nothing about a store.
            throw environments == [.xcode] ? .untrusted(.untrustedChain) : .wrongEnvironment
        }
        return ApplePlace(app: bundle, environment: environment)
    }
}

extension AppleVerifier {
    /// The body is a webhook's or an entry of the notification history, a statement of the App Store Server API, or what an
    /// app posted: a transaction, a receipt, which is not JSON, or an answer of `verifyReceipt`.
    ///
    /// Every document is verified as of the instant at which it says that it was signed, so an old document stays
    /// valid.
    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        let (body, now) = (stored.body, stored.receivedAt)
        guard body.first == UInt8(ascii: "{") else {
            return try verify(receipt: body, now: now).first { $0.id == stored.id }
        }
        let node = JSONNode(body)
        // Checked first, because a stranger may post a genuine payload together with extra members.
        if let payload = node?["signedPayload"], !payload.isNull { return try verify(body: body, now: now) }
        if let answer = node?["verifyReceipt"] { return try migrated(answer, from: stored) }
        guard let transaction = node?["signedTransaction"]?.text else {
            guard node?["status"] != nil else { return try verify(body: body, now: now) }
            return try verify(AppleStatementBody(StoreObject(body)), now: now)
        }
        let renewal = node?["signedRenewalInfo"]?.text
        var event = try verifier(ofPosted: transaction)
            .verify(transaction: transaction, renewalInfo: renewal, body: body, now: now)
        // Earlier versions did not count the renewal info.
        event.id = stored.id
        return event
    }

    private func migrated(_ answer: JSONNode, from stored: StoredDelivery) throws(VerificationError) -> Event? {
        do throws(RefusedPurchase) {
            let (place, body) = (stored.environment, stored.body)
            return try migrate(answer, environment: place, body: body, now: stored.receivedAt)
                .first { $0.id == stored.id }
        } catch .unproven(let error, _) {
            throw error
        } catch {
            throw .malformed(.invalidReceipt)
        }
    }
}
