import Crypto
public import Domain
import Encoding
public import HTTPClient
import Support
import Synchronization

/// Google's Android Publisher API (https://developers.google.com/android-publisher): reads and acknowledges purchases.
/// URLs contain purchase tokens, so no error names a URL. Calls block.
public struct GooglePlayAPI: StoreAPI {
    /// The address of Google's server.
    public static let address = "https://androidpublisher.googleapis.com"

    private let access: GoogleAccessTokens
    let catalog: Catalog
    private let client: HTTPClient
    private let address: @Sendable () -> String?
    private let readings: GoogleReadingOrder
    private let observer: StoreCallObserver
    private let repetitions = GoogleUnchangedAnswers()

    /// `credentials` and `address` are read when needed, because a stand-in has neither before its server listens.
    /// `clock` dates the readings.
    public init(
        catalog: Catalog = Catalog(),
        client: HTTPClient = HTTPClient(timeout: .seconds(8)),
        observer: @escaping StoreCallObserver = { _ in },
        clock: @escaping @Sendable () -> Instant,
        credentials: @escaping @Sendable () -> GoogleCredentials?,
        address: @escaping @Sendable () -> String?
    ) {
        access = GoogleAccessTokens(credentials, client: client)
        readings = GoogleReadingOrder(clock: clock)
        self.catalog = catalog
        self.client = client
        self.observer = observer
        self.address = address
    }

    /// Reads a purchase. Tokens expire 60 days after the subscription ends, and another package's tokens count as unknown.
    /// If it `keepsDate`, repeated equal answers have the first one's.
    func read(
        _ subject: GoogleSubject?,
        of package: String,
        keepsDate: Bool = false
    ) throws(StoreAPIError) -> GoogleReading {
        guard let subject else { return GoogleReading() }
        let answer = try readings.one(of: subject.token) { readAt throws(StoreAPIError) -> StoredReading.Answer? in
            guard let body = try call("GET", path: subject.path, of: package, now: readAt) else { return nil }
            let first = repetitions.firstReading(of: "\(package)/\(subject.path)", body: body, readAt: readAt)
            return StoredReading.Answer(body: body, readAt: keepsDate ? first : readAt)
        }
        guard let answer else { return GoogleReading(gap: .unknown) }
        return try interpret(answer, of: subject, in: package)
    }

    /// Interprets an answer with the current catalog. A JSON object without a purchase is final, so Google is not asked
    /// again; anything that is not a JSON object did not come from Google.
    func interpret(
        _ answer: StoredReading.Answer,
        of subject: GoogleSubject?,
        in package: String
    ) throws(StoreAPIError) -> GoogleReading {
        guard let subject else { return GoogleReading() }
        if let purchase = subject.purchase(answer, of: package, catalog: catalog) {
            return GoogleReading(purchase: purchase, answer: answer)
        }
        guard JSONNode(answer.body)?.isObject == true else { throw .unreadable(reason: "it is not a JSON object") }
        return GoogleReading(gap: .unreadable, answer: answer)
    }

    public func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event? {
        let contract = contract.purchase ?? contract
        let subject = GoogleSubject(token: contract.lineage, isSubscription: true)
        let reading = try read(subject, of: contract.app)
        if reading.gap == .unreadable { throw .unreadable(reason: "it is not the purchase that was asked for") }
        return reading.statement(of: subject, name: "statement")
    }

    @discardableResult
    public func perform(_ job: Job, now: Instant) throws(StoreAPIError) -> [Event] {
        let detail = (job.detail ?? "").split(separator: "/", maxSplits: 1)
        let verb: String
        switch job.kind {
        case .acknowledge: verb = "acknowledge"
        case .consume: verb = "consume"
        default:
            throw .refused(status: 0, code: nil, reason: "Google's API has no call for this job: \(job.kind.rawValue)")
        }
        guard detail.count == 2 else { throw .refused(status: 0, code: nil, reason: "the job names no product") }
        let path =
            "purchases/\(detail[0])/\(PercentEncoding.encode(String(detail[1])))/tokens/\(PercentEncoding.encode(job.subject)):\(verb)"
        do throws(StoreAPIError) {
            guard try call("POST", path: path, of: job.app, body: Array("{}".utf8), now: now) != nil else {
                throw .refused(status: 404, code: nil, reason: "Google does not know this purchase, or no longer does")
            }
        } catch .refused(status: 400, code: "alreadyAcknowledged", _) {
            // Another caller, perhaps the app, was faster.
            return []
        }
        return []
    }

    /// The purchase that an order paid for
    /// (https://developers.google.com/android-publisher/api-ref/rest/v3/orders). Nil for an order that Google does not know.
    func token(ofOrder number: String, in package: String, now: Instant) throws(StoreAPIError) -> String? {
        let path = "orders/\(PercentEncoding.encode(number))"
        guard let body = try call("GET", path: path, of: package, isOfOrder: true, now: now) else { return nil }
        guard let order = try? StoreObject(body) else { throw .unreadable(reason: "it is not a JSON object") }
        return order.text("purchaseToken", limit: GooglePurchase.tokenLimit)
    }

    /// Returns nil for what Google does not know, or no longer knows.
    func call(
        _ method: String,
        path: String,
        of package: String,
        body: [UInt8]? = nil,
        isObserved: Bool = true,
        isOfOrder: Bool = false,
        now: Instant
    ) throws(StoreAPIError) -> [UInt8]? {
        try witnessed(by: isObserved ? observer : { _ in }) { () throws(StoreAPIError) in
            guard let address = address() else { throw .unavailable(reason: "its address is not known yet") }
            let bearer = try access.bearer(now: now)
            let type = body == nil ? [] : [("Content-Type", "application/json")]
            let response = try client.ask(
                method,
                at: "\(address)/androidpublisher/v3/applications/\(PercentEncoding.encode(package))/\(path)",
                headers: [("Authorization", bearer)] + type,
                body: body
            )
            if response.status == 401 { access.forget(bearer) }
            let answer = GoogleAnswer(status: response.status, body: response.body)
            return isOfOrder && answer.isOfNoOrder ? nil : try answer.result()
        }
    }
}

/// A purchase to read at Google's API.
struct GoogleSubject: Sendable, Equatable {
    let token: String
    let isSubscription: Bool

    /// What follows the package in its address.
    var path: String {
        "purchases/\(isSubscription ? "subscriptionsv2" : "productsv2")/tokens/\(PercentEncoding.encode(token))"
    }

    /// Nil for an answer that says nothing about a purchase.
    func purchase(_ answer: StoredReading.Answer, of package: String, catalog: Catalog) -> GooglePurchase? {
        let (body, readAt) = (answer.body, answer.readAt)
        return isSubscription
            ? GooglePurchase(subscription: body, token: token, package: package, catalog: catalog, readAt: readAt)
            : GooglePurchase(product: body, token: token, package: package, catalog: catalog, readAt: readAt)
    }
}

/// What the API said about a purchase; empty if there was nothing to read.
struct GoogleReading {
    /// Why an event has no purchase, as its `subtype`.
    enum Gap: String {
        /// Google does not know the purchase, or no longer does, and will keep saying so.
        case unknown = "unknown_purchase"
        /// An answer that says nothing about a purchase.
        case unreadable = "unreadable_purchase"
    }

    var purchase: GooglePurchase?
    var gap: Gap?
    var answer: StoredReading.Answer?

    /// The event for a reading without a notification: before a period's end is trusted, or of what an app posted. `name`
    /// begins its id. Nil without a purchase.
    func statement(of subject: GoogleSubject, name: String) -> Event? {
        guard let purchase, let answer else { return nil }
        let digest = Hex.encode(Array(SHA256.hash(Array(subject.token.utf8)).prefix(16)))
        let cause = StoredReading.Cause.purchase(token: subject.token, isSubscription: subject.isSubscription)
        let body = StoredReading(cause, answer: answer)?.bytes ?? answer.body
        return purchase.statement(body: body, id: "\(name):\(answer.readAt.milliseconds):\(digest)")
    }
}

/// Remembers since when Google has given the same answer about a purchase. In memory and bounded: a forgotten answer
/// counts as new.
final class GoogleUnchangedAnswers: Sendable {
    static let capacity = 10_000

    private struct Known {
        let digest: [UInt8]
        let readAt: Instant
    }

    private let answers = Mutex(BoundedCache<String, Known>(capacity: GoogleUnchangedAnswers.capacity))

    /// Call it for every reading, whatever caused it: an answer that returns after a different one counts as new.
    func firstReading(of name: String, body: [UInt8], readAt: Instant) -> Instant {
        let digest = SHA256.hash(body)
        return answers.withLock { answers in
            let first = answers[name].flatMap { $0.digest == digest ? $0.readAt : nil } ?? readAt
            // What is read again and again stays.
            answers[name] = Known(digest: digest, readAt: first)
            return first
        }
    }
}

/// Interprets an answer from Google (https://cloud.google.com/apis/design/errors): a body, nothing, or an error.
struct GoogleAnswer {
    let status: Int
    let body: [UInt8]

    /// Returns nil for a purchase that Google does not know, or no longer knows. An unknown package is a mistake in our
    /// settings and throws, so that it loses no purchase.
    func result() throws(StoreAPIError) -> [UInt8]? {
        switch status {
        case 200...299: return body
        case 400 where isAboutToken, 404 where isAboutToken, 410: return nil
        case 404 where reason == "applicationNotFound":
            throw .unauthorized(
                reason: "the service account has no access to this app: invite the account in the Play Console (404)"
            )
        case 403 where reason.map(GoogleAnswer.quotas.contains) == true:
            throw .unavailable(reason: "its quota of calls is used up (403)")
        case 401, 403:
            throw .unauthorized(
                reason:
                    "the service account needs \u{201C}View financial data\u{201D} and \u{201C}Manage orders\u{201D} "
                    + "in the Play Console; new rights take a day (\(status)\(reason.map { " \($0)" } ?? ""))"
            )
        // Two calls about one purchase conflicted, or there were too many: a retry may succeed.
        // A 404 that names no token concerns the URL, not the purchase.
        case 404, 408, 409, 412, 425, 429, 500...599: throw .unavailable(reason: "it answered \(status)")
        default: throw .refused(status: status, code: reason, reason: "a call about a purchase failed")
        }
    }

    /// Whether Google answered that the text is no order number, or one of another package.
    var isOfNoOrder: Bool { (status == 404 || status == 400) && reason != "applicationNotFound" }

    /// Reasons for a 403 that is not about permissions: https://developers.google.com/webmaster-tools/v1/errors
    private static let quotas: Set<String> = [
        "quotaExceeded", "dailyLimitExceeded", "rateLimitExceeded", "userRateLimitExceeded",
    ]

    /// Google's reason, such as `alreadyAcknowledged`; letters only.
    private var reason: String? {
        guard let word = failure?["reason"]?.text, word.utf8.count <= 40,
            word.utf8.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) })
        else { return nil }
        return word
    }

    /// `purchaseTokenNotFound` or `purchaseTokenDoesNotMatchPackageName`; for a made-up token just `invalid`.
    private var isAboutToken: Bool {
        guard let reason else { return false }
        if reason.hasPrefix("purchaseToken") { return true }
        // The parameter that the error is about.
        let place = failure?["location"]?.text
        return reason == "invalid" && (place ?? "token") == "token" || reason == "notFound" && place == "token"
    }

    private var failure: JSONNode? {
        guard case .array(let errors)? = JSONNode(body)?["error"]?["errors"] else { return nil }
        return errors.first
    }
}
