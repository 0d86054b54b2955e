internal import Crypto
public import Domain
public import HTTPClient
internal import Providers
internal import Synchronization

/// Google's Android Publisher API (https://developers.google.com/android-publisher): reads purchases, acknowledges them.
/// Purchase tokens are in its addresses, so that no error names one. Calls block.
public struct GooglePlayAPI: StoreAPI {
    /// Google's own address.
    public static let address = "https://androidpublisher.googleapis.com"

    private let access: GoogleAccess
    private let catalog: Catalog
    private let client: HTTPClient
    private let address: @Sendable () -> String?
    private let readings = GoogleReadings()

    /// `credentials` and `address` are asked when they are needed: a stand-in's are not known before its server listens.
    public init(
        catalog: Catalog = Catalog(),
        client: HTTPClient = HTTPClient(timeout: .seconds(8)),
        credentials: @escaping @Sendable () -> GoogleCredentials?,
        address: @escaping @Sendable () -> String?
    ) {
        access = GoogleAccess(credentials, client)
        self.catalog = catalog
        self.client = client
        self.address = address
    }

    /// What a notification is about, read now. Nil when Google knows of no such purchase, or no more: tokens end 60 days
    /// after the subscription does.
    func purchase(
        _ subject: GoogleNotification.Subject,
        of package: String,
        clock: () -> Instant
    ) throws(StoreAPIError) -> (purchase: GooglePurchase, body: [UInt8])? {
        let (kind, token) =
            switch subject {
            case .subscription(let token): ("subscriptionsv2", token)
            case .product(let token): ("productsv2", token)
            case .none: ("", "")
            }
        guard !token.isEmpty else { return nil }
        return try readings.one(at: token) { () throws(StoreAPIError) in
            let readAt = clock()
            let path = "purchases/\(kind)/tokens/\(escaped(token))"
            guard let body = try call("GET", path, of: package, now: readAt) else { return nil }
            let purchase =
                if case .subscription = subject {
                    GooglePurchase(subscription: body, token: token, package: package, catalog: catalog, readAt: readAt)
                } else {
                    GooglePurchase(product: body, token: token, package: package, catalog: catalog, readAt: readAt)
                }
            guard let purchase else { throw .unreadable(reason: "it is not the purchase that was asked for") }
            return (purchase, body)
        }
    }

    public func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event? {
        let subject = GoogleNotification.Subject.subscription(token: contract.lineage)
        guard let read = try purchase(subject, of: contract.app, clock: { now }) else { return nil }
        let id = "statement:\(now.milliseconds):" + Hex.encode(SHA256.hash(Array(contract.lineage.utf8)).prefix(16))
        return read.purchase.statement(body: read.body, id: id)
    }

    public func perform(_ errand: Errand, now: Instant) throws(StoreAPIError) {
        let detail = (errand.detail ?? "").split(separator: "/", maxSplits: 1)
        let verb: String
        switch errand.kind {
        case .acknowledge: verb = "acknowledge"
        case .consume: verb = "consume"
        default:
            throw .refused(status: 0, code: nil, reason: "Google takes no errand of this kind: \(errand.kind.rawValue)")
        }
        guard detail.count == 2 else { throw .refused(status: 0, code: nil, reason: "the errand names no product") }
        let path = "purchases/\(detail[0])/\(escaped(String(detail[1])))/tokens/\(escaped(errand.subject)):\(verb)"
        do throws(StoreAPIError) {
            _ = try call("POST", path, of: errand.app, body: Array("{}".utf8), now: now)
        } catch {
            // Somebody else, the app perhaps, was faster.
            if case .refused(status: 400, code: "alreadyAcknowledged", _) = error { return }
            throw error
        }
    }

    /// Nil for what Google does not know, or no more.
    private func call(
        _ method: String,
        _ path: String,
        of package: String,
        body: [UInt8]? = nil,
        now: Instant
    ) throws(StoreAPIError) -> [UInt8]? {
        guard let address = address() else { throw .unavailable(reason: "its address is not known yet") }
        let bearer = try access.bearer(now: now)
        let type = body == nil ? [] : [("Content-Type", "application/json")]
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send(
                method,
                "\(address)/androidpublisher/v3/applications/\(escaped(package))/\(path)",
                headers: [("Authorization", bearer)] + type,
                body: body
            )
        } catch {
            throw .unavailable(reason: error.description)
        }
        if response.status == 401 { access.forget() }
        return try GoogleAnswer(response).result()
    }
}

/// One reading of a purchase at a time, so that an older answer cannot come in after a newer one.
private final class GoogleReadings: Sendable {
    /// Tokens are spread over these; two that share one wait for each other, which costs nothing but time.
    private let lanes = (0..<32).map { _ in Lane() }

    private final class Lane: Sendable {
        let lock = Mutex<Void>(())
    }

    func one<Answer>(
        at token: String,
        _ read: () throws(StoreAPIError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        let number = SHA256.hash(Array(token.utf8)).first.map { Int($0) % lanes.count } ?? 0
        var result: Result<Answer, StoreAPIError>?
        lanes[number].lock.withLock { _ in result = Result(catching: read) }
        guard let result else { throw .unavailable(reason: "it was not asked") }
        return try result.get()
    }
}

/// One path segment (RFC 3986 §3.3): everything but unreserved characters is escaped.
private func escaped(_ segment: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return segment.utf8.map { byte in
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 95, 126: String(Unicode.Scalar(byte))
        default: "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }.joined()
}
