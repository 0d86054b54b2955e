public import Domain
public import HTTPClient

/// Plays a store against a development server: finds out what the user holds, says what happens next, posts it.
/// Blocking.
public struct StoreDriver: Sendable {
    /// What is to happen, and to whom.
    public struct Request: Sendable {
        public var type: String
        public var subtype: String?
        /// What it does to the purchase, in the words of every store.
        public var meaning: LifeStep?
        /// Who pays. Without an order, one is created for this user when the event needs it.
        public var user: String?
        public var order: OrderToken?
        /// What is bought, or what a change of plan changes to.
        public var product: String?
        /// What kind of product a one-time charge is for.
        public var kind: ProductKind?
        public var environment: StoreEnvironment = .sandbox
        /// The store's name of the app; nil: the simulated store's own.
        public var app: String?

        public init(type: String, subtype: String? = nil, user: String? = nil, order: OrderToken? = nil) {
            self.type = type
            self.subtype = subtype
            self.user = user
            self.order = order
        }

        /// What is bought once arrives under another name than a subscription.
        var isOneTime: Bool {
            ["ONE_TIME_CHARGE", "NON_RENEWING_PURCHASE"].contains(type) || type.hasPrefix("ONE_TIME_PRODUCT")
        }
    }

    /// What an event is about.
    public struct Purchase: Sendable {
        public var facts: SimulatedSubscription
        /// What the purchase carries; nil when the server knows whose it is.
        public var token: OrderToken?
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

        /// The store will not deliver it again.
        public var isTaken: Bool { (200...299).contains(status) }
    }

    private let server: ServerRoutes
    private let store: any SimulatedStore

    /// `server` is an address such as `http://127.0.0.1:8080`.
    public init(
        server: String,
        apiKey: String,
        store: any SimulatedStore,
        client: HTTPClient = HTTPClient(timeout: .seconds(10))
    ) {
        self.server = ServerRoutes(address: server, apiKey: apiKey, client: client)
        self.store = store
    }

    private var provider: Provider { type(of: store).provider }

    /// Signs and posts one event. `now` is the server's time, not this machine's.
    public func deliver(_ request: Request, now: Instant) throws(StoreDriverError) -> Delivery {
        let delivery = try sign(request, of: purchase(for: request), now: now)
        try publish(delivery)
        let answer = try post(delivery)
        if answer.isTaken { try enter(delivery) }
        return answer
    }

    /// What the user holds and the event continues from, or what they are about to buy.
    public func purchase(for request: Request) throws(StoreDriverError) -> Purchase {
        let held = try request.user.map { (user: String) throws(StoreDriverError) in try server.entitlements(of: user) }
        let choice = PurchaseChoice(request, at: type(of: store), held: held ?? [])
        if let order = request.order { return Purchase(facts: choice.facts(of: order), token: order) }
        if let facts = choice.heldFacts { return Purchase(facts: facts) }
        guard let user = request.user else { throw .nobody }
        let order = try server.createOrder(user: user, product: choice.product, kind: choice.kind, at: provider)
        return Purchase(facts: choice.facts(of: order), token: order)
    }

    public func sign(
        _ request: Request,
        of purchase: Purchase,
        now: Instant,
        isLost: Bool = false
    ) throws(StoreDriverError) -> SimulatedDelivery {
        var event = SimulatedEvent(
            type: request.type,
            subtype: request.subtype,
            facts: purchase.facts,
            user: request.user,
            token: purchase.token,
            app: request.app,
            environment: request.environment,
            now: now
        )
        event.isLost = isLost
        do { return try store.delivery(event) } catch { throw .signing(error) }
    }

    /// What was signed before, as the store would send it now.
    public func attempt(_ delivery: SimulatedDelivery, at now: Instant) throws(StoreDriverError) -> SimulatedDelivery {
        do { return try store.attempt(delivery, at: now) } catch { throw .signing(error) }
    }

    /// From now on, whoever asks the store is told of it.
    public func publish(_ delivery: SimulatedDelivery) throws(StoreDriverError) {
        for document in delivery.documents { try server.put(document, of: provider) }
    }

    /// The store's history tells of it. Not before it was delivered: a server that reads the history is quicker.
    public func enter(_ delivery: SimulatedDelivery) throws(StoreDriverError) {
        for document in delivery.history { try server.put(document, of: provider) }
    }

    /// Posts what is ready; the same again is a retry.
    public func post(_ delivery: SimulatedDelivery) throws(StoreDriverError) -> Delivery {
        let response = try server.post(delivery)
        let answer = StoreJSON.decode(WebhookAnswer.self, from: response.body)
        return Delivery(
            status: response.status,
            outcome: answer?.outcome,
            event: answer?.event ?? delivery.event,
            cursor: answer?.cursor,
            body: response.body
        )
    }

    /// Moves the server's clock on, and tells its time then.
    public func advanceClock(by duration: Duration) throws(StoreDriverError) -> Instant {
        try server.advanceClock(by: duration)
    }
}
