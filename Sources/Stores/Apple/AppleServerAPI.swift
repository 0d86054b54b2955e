public import Crypto
public import Domain
import Encoding
public import HTTPClient

/// The App Store Server API (https://developer.apple.com/documentation/appstoreserverapi). Every signed answer is
/// verified like a notification: chain, app, environment. Calls block.
public struct AppleServerAPI: StoreAPI {
    /// The addresses of Apple's servers.
    static let addresses: [StoreEnvironment: String] = [
        .production: "https://api.storekit.apple.com", .sandbox: "https://api.storekit-sandbox.apple.com",
    ]

    private let key: AppleSigningKey
    private let verifier: AppleVerifier
    private let client: HTTPClient
    private let observer: StoreCallObserver
    private let address: @Sendable (StoreEnvironment) -> String?
    /// The bundle id for calls that are not about a contract.
    private var app: String

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
        self.key = AppleSigningKey(key: key, id: keyID, issuer: issuer)
        self.verifier = verifier
        self.client = client
        self.observer = observer
        self.address = address
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

    @discardableResult
    public func perform(_ job: Job, now: Instant) throws(StoreAPIError) -> [Event] {
        guard job.environment != .xcode else { return [] }
        let api = of(job.app)
        let path = "/inApps/v1/transactions/\(PercentEncoding.encode(job.subject))"
        switch (job.kind, job.detail.flatMap { OrderToken($0) }) {
        case (.ask, _): return try api.answer(about: job, now: now)
        // StoreKit no longer delivers the transaction to the app.
        case (.finish, _): _ = try api.send("POST", "\(path)/finish", in: job.environment, now: now)
        // For any purchase except a family-shared one. The subject is the original transaction.
        case (.setToken, let token?):
            let body = Array(#"{"appAccountToken":"\#(token.description)"}"#.utf8)
            _ = try api.send("PUT", "\(path)/appAccountToken", body: body, in: job.environment, now: now)
        case (.consumption, _):
            let path = "/inApps/v2/transactions/consumption/\(PercentEncoding.encode(job.subject))"
            guard let answer = AppleRefundRequest(job)?.answer else {
                throw .unreadable(reason: "the ledger holds no answer")
            }
            _ = try api.send("PUT", path, body: Array(answer.utf8), in: job.environment, now: now)
        default:
            throw .refused(status: 0, code: nil, reason: "Apple's API has no call for this job: \(job.kind.rawValue)")
        }
        return []
    }

    /// Nothing if Apple knows no more than the receipt, or does not accept the key: then the receipt's own content stays, as
    /// it does when Apple says so while the receipt is posted.
    private func answer(about job: Job, now: Instant) throws(StoreAPIError) -> [Event] {
        let key = ContractKey(provider: .apple, environment: job.environment, app: job.app, lineage: job.subject)
        do throws(StoreAPIError) {
            return try statements(of: key.lineage, in: key.environment, now: now).filter { event in
                event.observation?.contract == key
            }
        } catch {
            switch error {
            case .refused, .unauthorized: return []
            case .unavailable, .unreadable, .notYetKnown: throw error
            }
        }
    }
}

/// What Apple says of its notifications.
extension AppleServerAPI {
    /// Requests a test notification; returns the token that `testStatus` takes.
    public func requestTest(in environment: StoreEnvironment, now: Instant) throws(StoreAPIError) -> String {
        let answer = try ask("POST", "/inApps/v1/notifications/test", in: environment, now: now)
        return try documented { () throws(VerificationError) in try answer.statedString("testNotificationToken") }
    }

    /// The test notification, verified, and the result of each attempt to deliver it: `SUCCESS`, `TIMED_OUT`,
    /// `TLS_ISSUE`, `NO_RESPONSE` …; an open set. Empty while Apple has not sent it.
    public func testStatus(
        _ token: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> (event: Event, results: [String]) {
        let path = "/inApps/v1/notifications/test/\(PercentEncoding.encode(token))"
        let answer = try ask("GET", path, in: environment, now: now)
        let (payload, attempts) = try documented { () throws(VerificationError) in
            (try answer.statedString("signedPayload"), try answer.parts("sendAttempts"))
        }
        let event = try proven(environment) { () throws(VerificationError) in
            try verifier.verify(body: AppleNotification.body(payload), now: now)
        }
        return (event, attempts.prefix(100).map { $0.text("sendAttemptResult", limit: 100) ?? "OTHER" })
    }
}

/// What Apple says of purchases.
extension AppleServerAPI {
    /// A page has 20 transactions, so this is more than any buyer has. It also stops a server whose pages never end.
    private static let pageLimit = 50

    /// Everything that Apple knows about one id, as events to commit: each subscription's status, and every transaction
    /// of that buyer. `id` is that of any transaction, original or not, or of an app transaction.
    ///
    /// Without an environment, asks Production first, and Sandbox if Production does not know the id: an app that is in
    /// review or not released yet is only known in Sandbox.
    func statements(of id: String, in environment: StoreEnvironment?, now: Instant) throws(StoreAPIError) -> [Event] {
        let (isKnown, first) = (
            environment != nil, environment ?? (address(.production) == nil ? .sandbox : .production)
        )
        let refusal: StoreAPIError
        do throws(StoreAPIError) {
            return try all(of: id, in: first, isKnown: isKnown, now: now)
        } catch {
            refusal = error
        }
        guard !isKnown, first == .production, refusal.isUnknownTransaction || refusal.isUnauthorized,
            address(.sandbox) != nil
        else { throw refusal }
        do throws(StoreAPIError) {
            return try all(of: id, in: .sandbox, isKnown: false, now: now)
        } catch {
            throw error.isUnknownTransaction ? refusal : error
        }
    }

    /// `isKnown`: that it is the environment of the id, which the answers then have to name.
    private func all(
        of id: String,
        in place: StoreEnvironment,
        isKnown: Bool,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try statuses(of: id, in: place, isKnown: isKnown, now: now)
            + history(of: id, in: place, isKnown: isKnown, now: now)
    }

    /// One event with a snapshot for each of the buyer's subscriptions.
    public func statuses(
        of id: String,
        in place: StoreEnvironment,
        isKnown: Bool = true,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        let answer = try ask("GET", "/inApps/v1/subscriptions/\(PercentEncoding.encode(id))", in: place, now: now)
        let items = try documented { () throws(VerificationError) in
            var items: [(statement: AppleStatementBody, lineage: String?)] = []
            for group in try answer.parts("data") {
                for item in try group.parts("lastTransactions") {
                    items.append((try AppleStatementBody(item), try item.string("originalTransactionId")))
                }
            }
            return items
        }
        return try items.map { item throws(StoreAPIError) in
            let event = try proven(isKnown ? place : nil) { () throws(VerificationError) in
                try verifier.verify(item.statement, now: now)
            }
            // The status is not signed, so it only counts for the subscription that it is listed with.
            guard item.lineage == nil || item.lineage == event.observation?.contract.lineage else {
                throw .unreadable(reason: "a status is listed with another subscription's transaction")
            }
            return event
        }
    }

    /// A transaction of an answer, verified as if an app had posted it.
    func event(ofTransaction text: String, in place: StoreEnvironment?, now: Instant) throws(StoreAPIError) -> Event {
        let body = #"{"signedTransaction":\#(JSONLiteral.literal(text))}"#
        return try proven(place) { () throws(VerificationError) in
            try verifier.verify(transaction: text, body: Array(body.utf8), now: now)
        }
    }

    func isServed(_ environment: StoreEnvironment) -> Bool { address(environment) != nil }

    /// Only transactions, newest first, 1,000 at most: the oldest are cut off. Each makes the same event as if the app
    /// had posted it: same transaction and signing date, same event.
    public func history(
        of id: String,
        in place: StoreEnvironment,
        isKnown: Bool = true,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        let path = "/inApps/v2/history/\(PercentEncoding.encode(id))?sort=DESCENDING"
        var events: [Event] = []
        var revision: String?
        for _ in 0..<AppleServerAPI.pageLimit {
            let from = revision.map { "&revision=\(PercentEncoding.encode($0))" } ?? ""
            let page = try ask("GET", path + from, in: place, now: now)
            let texts = try documented { () throws(VerificationError) in try page.strings("signedTransactions") }
            for text in texts ?? [] {
                events.append(try event(ofTransaction: text, in: isKnown ? place : nil, now: now))
            }
            revision = try next("revision", of: page, after: revision)
            if revision == nil { return events }
        }
        return events
    }
}

/// One call, and what an answer must have.
extension AppleServerAPI {
    func ask(
        _ method: String,
        _ target: String,
        body: [UInt8]? = nil,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> StoreObject {
        let answer = try send(method, target, body: body, in: environment, now: now)
        return try documented { () throws(VerificationError) in try StoreObject(answer) }
    }

    /// Returns the body of a successful answer. `target` is what follows an environment's address.
    private func send(
        _ method: String,
        _ target: String,
        body: [UInt8]? = nil,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> [UInt8] {
        guard let address = address(environment) else {
            throw .unavailable(reason: "no address is known for \(environment.rawValue)")
        }
        return try witnessed(by: observer) { () throws(StoreAPIError) in
            guard let token = try? key.apiToken(for: app, now: now) else {
                let reason = "PAYCAST_APPLE_API_KEY cannot sign; create a new key in App Store Connect"
                throw .unauthorized(reason: reason)
            }
            let content = body == nil ? [] : [("Content-Type", "application/json")]
            let headers = [("Authorization", "Bearer \(token)"), ("Accept", "application/json")] + content
            let response: HTTPClient.Response
            do throws(HTTPClientError) {
                response = try client.send(method, to: address + target, headers: headers, body: body)
            } catch {
                switch error {
                case .tooLarge, .invalidURL, .invalidRequest: throw .unreadable(reason: error.description)
                default: throw .unavailable(reason: error.description)
                }
            }
            guard (200..<300).contains(response.status) else { throw .ofApple(response, in: environment, now: now) }
            return response.body
        }
    }

    func documented<Value>(_ read: () throws(VerificationError) -> Value) throws(StoreAPIError) -> Value {
        do throws(VerificationError) {
            return try read()
        } catch {
            throw .unreadable(reason: "it does not have the documented members")
        }
    }

    /// The token of the page that follows `page`, which was requested with `token`; nil after the last one.
    func next(_ name: String, of page: StoreObject, after token: String?) throws(StoreAPIError) -> String? {
        let (hasMore, next) = try documented { () throws(VerificationError) in
            (try page.boolean("hasMore"), try page.string(name))
        }
        guard hasMore == true else { return nil }
        guard let next, next != token else {
            throw .unreadable(reason: "the history says that there is more, but names no next page")
        }
        return next
    }

    /// Throws when a signed answer is not genuine, or not of this environment.
    private func proven(
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
}

/// The team's In-App Purchase key. It authorizes calls of Apple's API, and signs offers.
struct AppleSigningKey: Sendable {
    let key: PrivateKey
    let id: String
    let issuer: String

    func token(_ claims: WireJSON) throws(CryptoError) -> String {
        try JWS.token(["alg": "ES256", "kid": .text(id), "typ": "JWT"], claims: claims, sign: key.signature(for:))
    }

    /// What authorizes one call, for five minutes
    /// (https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests).
    fileprivate func apiToken(for app: String, now: Instant) throws(CryptoError) -> String {
        try token([
            "aud": "appstoreconnect-v1", "bid": .text(app), "exp": .number(now.seconds + 300),
            "iat": .number(now.seconds), "iss": .text(issuer),
        ])
    }
}
