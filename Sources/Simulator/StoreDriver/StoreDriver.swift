import APIModel
public import Crypto
public import Domain
import Encoding
public import HTTPClient

/// Plays a store against a development server: looks up what the user holds, decides what happens next, and posts it.
/// It blocks.
public struct StoreDriver: Sendable {
    /// The event to send, and its user.
    public struct Request: Sendable {
        public var type: String
        public var subtype: String?
        /// The step that the event stands for, in words common to all stores.
        public var meaning: LifecycleStep?
        /// The buyer. Without an order, one is created for this user if the event needs it.
        public var user: String?
        public var order: OrderToken?
        /// The product to buy, or the new product in a change of plan.
        public var product: String?
        /// The kind of product that a one-time charge pays for.
        public var kind: ProductKind?
        public var environment: StoreEnvironment = .sandbox
        /// The store's name for the app; nil for the simulated store's default.
        public var app: String?

        public init(type: String, subtype: String? = nil, user: String? = nil, order: OrderToken? = nil) {
            self.type = type
            self.subtype = subtype
            self.user = user
            self.order = order
        }

        /// One-time purchases arrive under other event names than subscriptions.
        var isOneTime: Bool {
            ["ONE_TIME_CHARGE", "NON_RENEWING_PURCHASE"].contains(type) || type.hasPrefix("ONE_TIME_PRODUCT")
        }
    }

    /// The purchase that an event is about.
    public struct Purchase: Sendable {
        public var facts: SimulatedSubscription
        /// The token in the purchase; nil if the server already knows the owner.
        public var token: OrderToken?
    }

    /// The server's answer.
    public struct Delivery: Sendable {
        public var status: Int
        public var outcome: String?
        /// The event's id as it was sent.
        public var event: String
        public var cursor: String?
        /// The answer's body, unchanged.
        public var body: [UInt8]

        /// True if the store will not deliver it again.
        public var isTaken: Bool { (200...299).contains(status) }
    }

    private let address: String
    private let apiKey: String
    private let store: any SimulatedStore
    private let client = HTTPClient(timeout: .seconds(10))

    /// `server` is an address such as `http://127.0.0.1:8080`.
    public init(server: String, apiKey: String, store: any SimulatedStore) {
        address = server.hasSuffix("/") ? String(server.dropLast()) : server
        self.apiKey = apiKey
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

    /// The user's purchase that the event continues, or the product about to be bought.
    public func purchase(for request: Request) throws(StoreDriverError) -> Purchase {
        let held = try request.user.map { (user: String) throws(StoreDriverError) in try contracts(of: user) }
        let choice = PurchaseChoice(request, at: type(of: store), held: held ?? [])
        if let order = request.order { return Purchase(facts: choice.facts(of: order), token: order) }
        if let facts = choice.heldFacts {
            return Purchase(facts: facts, token: try repeatedToken(of: facts, for: request))
        }
        guard let user = request.user else { throw .nobody }
        let order = try createOrder(user: user, product: choice.product, kind: choice.kind)
        return Purchase(facts: choice.facts(of: order), token: order)
    }

    /// Google repeats a purchase's account id whenever it is asked, and refuses to replace a purchase under another one.
    private func repeatedToken(
        of facts: SimulatedSubscription,
        for request: Request
    ) throws(StoreDriverError) -> OrderToken? {
        guard provider == .google, let user = request.user else { return nil }
        return try order(of: facts.lineage, user: user)
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
        if request.meaning == .trial { event.facts.isTrial = true }
        do { return try store.delivery(event) } catch { throw .signing(error) }
    }

    /// An earlier delivery as the store would send it now.
    public func attempt(_ delivery: SimulatedDelivery, at now: Instant) throws(StoreDriverError) -> SimulatedDelivery {
        do { return try store.attempt(delivery, at: now) } catch { throw .signing(error) }
    }

    /// From now on, the store's API returns the purchase in its new state.
    public func publish(_ delivery: SimulatedDelivery) throws(StoreDriverError) {
        for document in delivery.documents { try put(document) }
    }

    /// Adds the event to the store's history, but only after delivery: a server that reads the history would be faster.
    public func enter(_ delivery: SimulatedDelivery) throws(StoreDriverError) {
        for document in delivery.history { try put(document) }
    }

    /// Posts a signed delivery; posting it again is a retry. Sends no API key, since stores have none.
    public func post(_ delivery: SimulatedDelivery) throws(StoreDriverError) -> Delivery {
        let response = try send("POST", path: delivery.path, body: delivery.body, headers: delivery.headers)
        let answer = JSON.decode(CommitAnswer.self, from: response.body)
        return Delivery(
            status: response.status,
            outcome: answer?.outcome,
            event: answer?.event ?? delivery.event,
            cursor: answer?.cursor,
            body: response.body
        )
    }
}

/// Why nothing was delivered. A delivery that the server refuses is not an error: its status says so.
public enum StoreDriverError: Error, Equatable, CustomStringConvertible {
    case nobody
    case unreachable(HTTPClientError)
    /// A route gave an unexpected answer; `message` is the server's own, if there was one.
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

/// The routes of a Paycast server that a simulated store needs.
extension StoreDriver {
    private func createOrder(
        user: String,
        product: String,
        kind: ProductKind
    ) throws(StoreDriverError) -> OrderToken {
        var request = CreateOrderRequest(user: UserID(user), product: product)
        (request.provider, request.kind) = (provider.rawValue, kind.rawValue)
        return try ask("POST", path: "/orders", named: "POST /orders", body: JSON.encode(request)) {
            (answer: CreateOrderAnswer) in OrderToken(answer.order.order)
        }
    }

    private func contracts(of user: String) throws(StoreDriverError) -> [ContractItem] {
        let path = "/users/\(PercentEncoding.encode(user))/entitlements"
        return try ask("GET", path: path, named: "GET /users/…/entitlements") { (answer: EntitlementsAnswer) in
            answer.contracts
        }
    }

    /// The token that the store has echoed for a contract of the user.
    private func order(of contract: String, user: String) throws(StoreDriverError) -> OrderToken? {
        let path = "/users/\(PercentEncoding.encode(user))"
        let contracts = try ask("GET", path: path, named: "GET /users/…") { (answer: HeldContracts) in answer.contracts
        }
        return contracts.first { $0.contract == contract }?.order.flatMap { OrderToken($0) }
    }

    /// Sets what the stand-in for the store's API answers from now on.
    private func put(_ document: (path: String, json: [UInt8])) throws(StoreDriverError) {
        let slash = document.path.hasPrefix("/") ? "" : "/"
        let path = "/demo/api/\(provider.rawValue)\(slash)\(document.path)"
        let response = try send("PUT", path: path, body: document.json, headers: [])
        // A server without a stand-in for this store does not call the store, either.
        guard (200...299).contains(response.status) || response.status == 404 else {
            throw refusal("PUT \(path)", response: response)
        }
    }

    /// Moves the server's clock and returns its time. A duration of zero only asks for the time.
    public func advanceClock(by duration: Duration) throws(StoreDriverError) -> Instant {
        let body = JSON.encode(ClockRequest(advance: duration.components.seconds))
        let path = "/demo/api/clock"
        return try ask("PUT", path: path, named: "PUT \(path)", body: body, headers: []) { (answer: ClockAnswer) in
            Instant(iso8601: answer.now)
        }
    }

    /// What `read` finds in the answer; `route` names it in an error.
    private func ask<Answer: Decodable, Value>(
        _ method: String,
        path: String,
        named route: String,
        body: [UInt8]? = nil,
        headers: [(String, String)]? = nil,
        read: (Answer) -> Value?
    ) throws(StoreDriverError) -> Value {
        let response = try send(method, path: path, body: body, headers: headers)
        guard (200...201).contains(response.status),
            let value = JSON.decode(Answer.self, from: response.body).flatMap(read)
        else { throw refusal(route, response: response) }
        return value
    }

    /// With the API key, unless other headers are given.
    private func send(
        _ method: String,
        path: String,
        body: [UInt8]? = nil,
        headers: [(String, String)]? = nil
    ) throws(StoreDriverError) -> HTTPClient.Response {
        let headers = headers ?? [("Authorization", "Bearer \(apiKey)")]
        let isStated = body == nil || headers.contains { $0.0.lowercased() == "content-type" }
        let content = isStated ? [] : [("Content-Type", "application/json")]
        do {
            return try client.send(method, to: address + path, headers: headers + content, body: body)
        } catch {
            throw .unreachable(error)
        }
    }

    private func refusal(_ route: String, response: HTTPClient.Response) -> StoreDriverError {
        // Google's own form, or ours.
        let message =
            JSONNode(response.body)?["error"]?["message"]?.text
            ?? JSON.decode(ErrorAnswer.self, from: response.body)?.message
        return .refused(route: route, status: response.status, message: message)
    }
}

/// The part of the answer of `GET /users/{user}` that tells a contract's order.
private struct HeldContracts: Decodable {
    struct Contract: Decodable {
        var contract: String
        var order: String?
    }

    var contracts: [Contract]
}
