public import Crypto
public import Domain

/// One webhook request of a simulated store, ready to post.
public struct SimulatedDelivery: Sendable {
    /// For example `/webhooks/stripe`.
    public var path: String
    public var headers: [(String, String)]
    public var body: [UInt8]
    /// The store's event id.
    public var event: String
    /// The stand-in's answers from now on, as path under `/demo/api/STORE` and JSON. Put there before
    /// the webhook is posted.
    public var documents: [(path: String, json: [UInt8])] = []
    /// The store's history as the stand-in reports it. Put there after the server accepted the webhook, or instead of
    /// posting it.
    public var history: [(path: String, json: [UInt8])] = []
}

/// The abilities of every simulated store.
public protocol SimulatedStore: Sendable {
    static var provider: Provider { get }
    /// The event names that `paycast trigger STORE NAME` suggests.
    static var types: [String] { get }

    func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery

    /// The contract's id at the store, as entitlements name it.
    static func lineage(of facts: SimulatedSubscription) -> String

    /// The same delivery at another time: some stores sign each attempt anew.
    func attempt(_ delivery: SimulatedDelivery, at now: Instant) throws(CryptoError) -> SimulatedDelivery
}

extension SimulatedStore {
    public static func lineage(of facts: SimulatedSubscription) -> String { facts.lineage }

    public func attempt(_ delivery: SimulatedDelivery, at now: Instant) throws(CryptoError) -> SimulatedDelivery {
        delivery
    }
}

/// An event that a simulated store is asked to send.
public struct SimulatedEvent: Sendable {
    public var type: String
    public var subtype: String?
    public var facts: SimulatedSubscription
    /// The app's own user id, for stores that know it.
    public var user: String?
    public var token: OrderToken?
    /// The store's name for the app; nil for the store's default.
    public var app: String?
    /// Apple's number of the app.
    public var appID: Int64 = 1_234_567_890
    public var environment: StoreEnvironment
    public var now: Instant
    /// Pass the same id again to simulate a retry.
    public var id: String?
    /// The webhook is lost: only the store's history contains the event.
    public var isLost = false

    public init(
        type: String,
        subtype: String? = nil,
        facts: SimulatedSubscription,
        user: String? = nil,
        token: OrderToken? = nil,
        app: String? = nil,
        environment: StoreEnvironment = .sandbox,
        now: Instant,
        id: String? = nil
    ) {
        self.type = type
        self.subtype = subtype
        self.facts = facts
        self.user = user
        self.token = token
        self.app = app
        self.environment = environment
        self.now = now
        self.id = id
    }
}

extension SimulatedDelivery {
    /// Changes one character after signing, in a part that the proof covers: in the Authorization header if there is
    /// one, otherwise in the body.
    public var tampered: SimulatedDelivery {
        var delivery = self
        if let index = headers.firstIndex(where: { $0.0.lowercased() == "authorization" }) {
            delivery.headers[index].1 = String(decoding: changed(Array(headers[index].1.utf8)), as: UTF8.self)
        } else {
            delivery.body = changed(body)
        }
        return delivery
    }
}

/// Changes only letters and digits, so that JSON and base64url stay valid. In a JWS, every such character belongs to
/// the signature or to what it covers.
private func changed(_ bytes: [UInt8]) -> [UInt8] {
    let isWord: (UInt8) -> Bool = { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    guard let index = bytes.indices.dropFirst(bytes.count * 3 / 4).first(where: { isWord(bytes[$0]) }) else {
        return bytes
    }
    var bytes = bytes
    bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return bytes
}

/// The stores that can be simulated: a line each here and in `DevelopmentWorkspace.store`.
public enum SimulatedStores {
    static let all: [any SimulatedStore.Type] = [
        SimulatedAppStore.self, SimulatedGooglePlay.self, SimulatedStripe.self, SimulatedRevenueCat.self,
        SimulatedPurchaseKit.self,
    ]

    public static var providers: [Provider] { all.map { $0.provider } }
    public static var names: [String] { providers.map(\.rawValue) }

    /// The store's own names of its events.
    public static func types(of provider: Provider) -> [String] {
        all.first { $0.provider == provider }?.types ?? []
    }
}

extension DevelopmentWorkspace {
    /// The simulated store that signs with this workspace's keys.
    public func store(_ provider: Provider) -> (any SimulatedStore)? {
        switch provider {
        case .apple: SimulatedAppStore(signer: signer)
        case .stripe: SimulatedStripe(secret: storeSecrets.stripe)
        case .revenuecat: SimulatedRevenueCat(authorization: storeSecrets.revenueCat)
        case .purchasekit: SimulatedPurchaseKit(secret: storeSecrets.purchaseKit)
        case .google: SimulatedGooglePlay(key: google)
        default: nil
        }
    }
}
