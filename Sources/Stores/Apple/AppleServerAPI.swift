public import Crypto
public import Domain
import Encoding
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
    private(set) var app: String

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

    /// The same API for another app of the team.
    public func of(_ app: String) -> AppleServerAPI {
        var api = self
        api.app = app
        return api
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

/// The result of a test notification.
public struct AppleTestStatus: Sendable, Equatable {
    public struct Attempt: Sendable, Equatable {
        public var at: Instant?
        /// Apple's value: `SUCCESS`, `TIMED_OUT`, `TLS_ISSUE`, `NO_RESPONSE` …; an open set.
        public var result: String
    }

    /// The notification, verified.
    public var event: Event
    /// Empty while Apple has not sent it.
    public var attempts: [Attempt]
}

extension AppleServerAPI {
    /// Get Notification History, one page: notifications as Apple posts them to `/webhooks/apple`, or would have; not
    /// verified yet. Apple keeps them for 180 days in Production and 30 in Sandbox.
    public func notificationHistory(
        _ query: HistoryQuery,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> HistoryPage<[UInt8]> {
        let (bodies, hasMore, next) = try ask(.notifications(query), in: environment, now: now) {
            (answer) throws(VerificationError) -> ([[UInt8]], Bool?, String?) in
            var bodies: [[UInt8]] = []
            for record in try answer.parts("notificationHistory") {
                bodies.append(AppleBody.bytes(try record.statedString("signedPayload")))
            }
            return (bodies, try answer.boolean("hasMore"), try answer.string("paginationToken"))
        }
        guard hasMore == true else { return HistoryPage(entries: bodies, next: nil) }
        guard let next, next != query.token else {
            throw .unreadable(reason: "the history says that there is more, but names no next page")
        }
        return HistoryPage(entries: bodies, next: next)
    }

    /// Request a Test Notification; returns the token that `testStatus` takes.
    public func requestTest(in environment: StoreEnvironment, now: Instant) throws(StoreAPIError) -> String {
        try ask(.test, in: environment, now: now) { (answer) throws(VerificationError) in
            try answer.statedString("testNotificationToken")
        }
    }

    /// Get Test Notification Status.
    public func testStatus(
        _ token: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> AppleTestStatus {
        let (payload, sent) = try ask(.testStatus(token), in: environment, now: now) {
            (answer) throws(VerificationError) -> (String, [StoreObject]) in
            (try answer.statedString("signedPayload"), try answer.parts("sendAttempts"))
        }
        let event = try proven(environment) { () throws(VerificationError) in
            try verifier.verify(body: AppleBody.bytes(payload), now: now)
        }
        let attempts = sent.prefix(100).map { attempt in
            let result = attempt.text("sendAttemptResult", limit: 100) ?? "OTHER"
            return AppleTestStatus.Attempt(at: try? attempt.appleDate("attemptDate"), result: result)
        }
        return AppleTestStatus(event: event, attempts: attempts)
    }
}

extension AppleServerAPI {
    /// `read` throws when the answer lacks a documented member.
    func ask<Answer>(
        _ call: AppleCall,
        in environment: StoreEnvironment,
        now: Instant,
        read: (StoreObject) throws(VerificationError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        let body = try line.send(call, for: app, in: environment, now: now)
        do throws(VerificationError) {
            return try read(try StoreObject(body))
        } catch {
            throw .unreadable(reason: "it does not have the documented members")
        }
    }

    /// Throws when a signed answer is not genuine.
    func proven(
        _ environment: StoreEnvironment?,
        verify: () throws(VerificationError) -> Event
    ) throws(StoreAPIError) -> Event {
        let event: Event
        do throws(VerificationError) { event = try verify() } catch { throw .unreadable(reason: error.message) }
        guard environment == nil || event.environment == environment else {
            throw .unreadable(reason: "it belongs to the other environment")
        }
        return event
    }

    /// If the environment is unknown, asks Production and then Sandbox: an app that is in review or not released yet is
    /// only known in Sandbox.
    func asking<Answer>(
        _ environment: StoreEnvironment?,
        ask: (StoreEnvironment) throws(StoreAPIError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        if let environment { return try ask(environment) }
        guard line.serves(.production) else { return try ask(.sandbox) }
        let refusal: StoreAPIError
        do throws(StoreAPIError) { return try ask(.production) } catch { refusal = error }
        guard refusal.isUnknownTransaction || refusal.isUnauthorized, line.serves(.sandbox) else { throw refusal }
        do throws(StoreAPIError) {
            return try ask(.sandbox)
        } catch {
            throw error.isUnknownTransaction ? refusal : error
        }
    }
}

extension StoreAPIError {
    fileprivate var isUnauthorized: Bool {
        guard case .unauthorized = self else { return false }
        return true
    }
}

extension AppleServerAPI {
    /// A page has 20 transactions, so this is more than any buyer has. It also stops a server whose pages never end.
    static let pageLimit = 50

    /// Everything that Apple knows about one id, as events to commit: each subscription's status, and every transaction
    /// of that buyer. `id` is that of any transaction, original or not, or of an app transaction.
    ///
    /// Without an environment, asks Production first, and Sandbox if Production does not know the id.
    public func statements(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try statuses(of: id, at: place, expecting: environment, now: now)
                + history(of: id, at: place, expecting: environment, now: now)
        }
    }

    /// Get All Subscription Statuses: returns one event with a snapshot for each of the buyer's subscriptions.
    public func statuses(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try statuses(of: id, at: place, expecting: environment, now: now)
        }
    }

    /// Get Transaction History: returns only transactions, newest first, 1,000 at most.
    public func history(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try history(of: id, at: place, expecting: environment, now: now)
        }
    }

    /// Set App Account Token, for any purchase except a family-shared one. `id` is the original transaction's.
    public func setAccountToken(
        _ token: OrderToken,
        of id: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) {
        _ = try line.send(.setAccountToken(token, of: id), for: app, in: environment, now: now)
    }

    /// Finish Transaction: StoreKit no longer delivers it to the app. Call it only after our commit.
    public func finish(_ id: String, in environment: StoreEnvironment, now: Instant) throws(StoreAPIError) {
        _ = try line.send(.finish(id), for: app, in: environment, now: now)
    }

    private func statuses(
        of id: String,
        at place: StoreEnvironment,
        expecting environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        let items = try ask(.statuses(of: id), in: place, now: now) {
            (answer) throws(VerificationError) -> [(statement: AppleStatementBody, lineage: String?)] in
            var items: [(statement: AppleStatementBody, lineage: String?)] = []
            for group in try answer.parts("data") {
                for item in try group.parts("lastTransactions") {
                    items.append((try AppleStatementBody(item), try item.string("originalTransactionId")))
                }
            }
            return items
        }
        var events: [Event] = []
        for item in items {
            let event = try proven(environment) { () throws(VerificationError) in
                try verifier.verify(item.statement, now: now)
            }
            // The status is not signed, so it only counts for the subscription that it is listed with.
            guard item.lineage == nil || item.lineage == event.lineage else {
                throw .unreadable(reason: "a status is listed with another subscription's transaction")
            }
            events.append(event)
        }
        return events
    }

    private func history(
        of id: String,
        at place: StoreEnvironment,
        expecting environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        var events: [Event] = []
        var revision: String?
        for _ in 0..<AppleServerAPI.pageLimit {
            let (texts, hasMore, next) = try ask(.history(of: id, revision: revision), in: place, now: now) {
                (page) throws(VerificationError) -> ([String]?, Bool?, String?) in
                (try page.strings("signedTransactions"), try page.boolean("hasMore"), try page.string("revision"))
            }
            for text in texts ?? [] { events.append(try event(of: text, expecting: environment, now: now)) }
            guard hasMore == true else { return events }
            guard let next, next != revision else {
                throw .unreadable(reason: "the history says that there is more, but names no next page")
            }
            revision = next
        }
        return events
    }

    /// Makes the same event as if the app had posted it: same transaction and signing date, same event.
    private func event(
        of text: String,
        expecting environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> Event {
        let body = #"{"signedTransaction":\#(JSONLiteral.literal(text))}"#
        return try proven(environment) { () throws(VerificationError) in
            try verifier.verify(transaction: text, body: Array(body.utf8), now: now)
        }
    }
}

extension Event {
    fileprivate var lineage: String? { observation?.contract.lineage }
}
