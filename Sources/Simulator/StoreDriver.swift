public import Crypto
public import Domain
public import HTTPClient

/// Plays the store against a development server: finds out what the user holds, says what happens next, posts it.
/// Blocking.
public struct StoreDriver: Sendable {
    /// What is to happen, and to whom.
    public struct Request: Sendable {
        public var type: String
        public var subtype: String?
        /// Who pays. Without an order, one is created for this user when the event needs it.
        public var user: String?
        public var order: OrderToken?
        /// What is bought, or what a change of plan changes to.
        public var product: String?
        /// What kind of product a one-time charge is for.
        public var kind: ProductKind?
        public var environment: StoreEnvironment = .sandbox
        public var bundleID = "com.example.paycast"

        public init(type: String, subtype: String? = nil, user: String? = nil, order: OrderToken? = nil) {
            self.type = type
            self.subtype = subtype
            self.user = user
            self.order = order
        }
    }

    /// What the server answered.
    public struct Delivery: Sendable {
        public var status: Int
        public var outcome: String?
        /// The event's id, as it was sent.
        public var event: String
        public var cursor: String?
        /// The answer as it came.
        public var body: [UInt8]
    }

    private let server: ServerRoutes
    private let store: SimulatedAppStore

    /// `server` is an address such as `http://127.0.0.1:8080`.
    public init(
        server: String,
        apiKey: String,
        signer: StoreSigner,
        client: HTTPClient = HTTPClient(timeout: .seconds(10))
    ) {
        self.server = ServerRoutes(address: server, apiKey: apiKey, client: client)
        store = SimulatedAppStore(signer: signer)
    }

    /// Signs and posts one notification. `now` is the server's time, not this machine's.
    public func deliver(_ request: Request, now: Instant) throws(StoreDriverError) -> Delivery {
        let purchase = try purchase(for: request)
        var notification = SimulatedNotification(
            type: request.type,
            subtype: request.subtype,
            subscription: purchase.facts,
            token: purchase.token,
            bundleID: request.bundleID,
            now: now
        )
        notification.environment = request.environment
        return try deliver(notification)
    }

    /// Posts a notification that is ready; the same one again is a retry.
    public func deliver(_ notification: SimulatedNotification) throws(StoreDriverError) -> Delivery {
        let body: [UInt8]
        do { body = try store.body(notification) } catch { throw .signing(error) }
        let response = try server.postNotification(body)
        let answer = StoreJSON.decode(WebhookAnswer.self, from: response.body)
        return Delivery(
            status: response.status,
            outcome: answer?.outcome,
            event: answer?.event ?? notification.id,
            cursor: answer?.cursor,
            body: response.body
        )
    }

    private func purchase(
        for request: Request
    ) throws(StoreDriverError) -> (facts: SimulatedSubscription, token: OrderToken?) {
        let held = try request.user.map { (user: String) throws(StoreDriverError) in try server.entitlements(of: user) }
        let choice = PurchaseChoice(request, held: held ?? [])
        if let order = request.order { return (choice.facts(of: order), order) }
        if let facts = choice.heldFacts { return (facts, nil) }
        guard let user = request.user else { throw .nobody }
        let order = try server.createOrder(user: user, product: choice.product, kind: choice.kind)
        return (choice.facts(of: order), order)
    }
}

/// Why nothing was delivered. A delivery that the server refuses is not an error: its status tells.
public enum StoreDriverError: Error, Equatable, CustomStringConvertible {
    case nobody
    case unreachable(HTTPClientError)
    /// A route answered something else than it should; its own words, if it had any.
    case refused(route: String, status: Int, message: String?)
    case signing(CryptoError)

    public var description: String {
        switch self {
        case .nobody: "say for whom: a user or an order"
        case .unreachable(let error): "\(error)"
        case .refused(let route, let status, let message):
            "the server answered \(status) to \(route)" + (message.map { ": \($0)" } ?? "")
        case .signing(let error): "cannot sign the notification: \(error)"
        }
    }
}
