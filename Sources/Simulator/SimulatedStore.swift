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

/// The names of a store's events for the steps of a purchase's life, with the subtype after a slash if there is one.
public typealias StepNames = KeyValuePairs<LifecycleStep, String>

/// The abilities of every simulated store.
public protocol SimulatedStore: Sendable {
    static var provider: Provider { get }
    /// The event names that `paycast trigger STORE NAME` suggests.
    static var types: [String] { get }
    /// The steps of a subscription, and those of what is bought once; empty for a store that does not sell such.
    static var steps: StepNames { get }
    static var stepsOnce: StepNames { get }

    /// The contract's id at the store, as entitlements name it.
    static func lineage(of facts: SimulatedSubscription) -> String

    /// The store that signs with a development server's keys.
    init(_ workspace: DevelopmentWorkspace)

    func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery

    /// What proves the body at that time: most stores sign each attempt anew.
    func headers(of body: [UInt8], at now: Instant) throws(CryptoError) -> [(String, String)]
}

extension SimulatedStore {
    public static var stepsOnce: StepNames { [:] }
    public static func lineage(of facts: SimulatedSubscription) -> String { facts.lineage }

    public func headers(of body: [UInt8], at now: Instant) throws(CryptoError) -> [(String, String)] { [] }

    /// A post of the body, proven at `now`.
    func post(_ body: [UInt8], event: String, at now: Instant) throws(CryptoError) -> SimulatedDelivery {
        let headers = try headers(of: body, at: now)
        return SimulatedDelivery(path: "/webhooks/\(Self.provider)", headers: headers, body: body, event: event)
    }

    /// The same delivery at another time.
    public func attempt(_ delivery: SimulatedDelivery, at now: Instant) throws(CryptoError) -> SimulatedDelivery {
        var delivery = delivery
        delivery.headers = try headers(of: delivery.body, at: now)
        return delivery
    }
}

/// A store whose webhooks are proven by one secret that the server knows. A development server keeps it in `NAME.key`.
public protocol SharedSecretStore: SimulatedStore {
    init(secret: String)
}

extension SharedSecretStore {
    public init(_ workspace: DevelopmentWorkspace) {
        self.init(secret: workspace.storeSecrets[Self.provider] ?? "")
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
    public var environment = StoreEnvironment.sandbox
    public var now: Instant
    /// Pass the same id again to simulate a retry.
    public var id: String?
    /// The webhook is lost: only the store's history contains the event.
    public var isLost = false
}

extension SimulatedEvent {
    public init(
        type: String,
        subtype: String? = nil,
        facts: SimulatedSubscription,
        token: OrderToken? = nil,
        now: Instant
    ) {
        self.init(type: type, subtype: subtype, facts: facts, user: nil, token: token, now: now)
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
    let last = bytes.indices.dropFirst(bytes.count * 3 / 4)
    guard let index = last.first(where: { bytes[$0].isLetterOrDigit }) else { return bytes }
    var bytes = bytes
    bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return bytes
}

/// The stores that can be simulated.
public enum SimulatedStores {
    static let all: [any SimulatedStore.Type] = [
        SimulatedAppStore.self, SimulatedGooglePlay.self, SimulatedStripe.self, SimulatedRevenueCat.self,
        SimulatedPurchaseKit.self,
    ]

    public static var providers: [Provider] { all.map { $0.provider } }
    public static var names: [String] { providers.map(\.rawValue) }

    public static func store(_ provider: Provider) -> (any SimulatedStore.Type)? {
        all.first { $0.provider == provider }
    }
}

extension DevelopmentWorkspace {
    /// The simulated store that signs with this workspace's keys.
    public func store(_ provider: Provider) -> (any SimulatedStore)? { SimulatedStores.store(provider)?.init(self) }
}

/// A store's events for the steps of a purchase's life: their names, with the subtype after a slash if the store has
/// one.
public struct LifecycleEventNames: Sendable {
    public let provider: Provider
    private let names: StepNames

    /// A one-time purchase has fewer steps, with other event names.
    public init(_ provider: Provider, kind: ProductKind = .subscription) {
        self.provider = provider
        let store = SimulatedStores.store(provider)
        names = (kind == .subscription ? store?.steps : store?.stepsOnce) ?? [:]
    }

    /// The steps that this store knows.
    public var steps: [LifecycleStep] { names.map(\.key) }

    /// Returns nil if this store has no such event.
    public func event(for step: LifecycleStep) -> (type: String, subtype: String?)? {
        names.first { $0.key == step }.map { LifecycleEventNames.split($0.value) }
    }

    /// The step that a store announces first if it sends two events: RevenueCat announces a new plan, then reports the
    /// payment.
    public func prelude(to step: LifecycleStep) -> LifecycleStep? {
        provider == .revenuecat && step == .upgrade && event(for: step) != nil ? .downgrade : nil
    }

    /// The first step that the event stands for. Returns nil for an event that stands for no step.
    public func step(of type: String, subtype: String?) -> LifecycleStep? {
        let event = subtype.map { "\(type)/\($0)" } ?? type
        return names.first { $0.value == event }?.key
    }

    /// Splits `TYPE/SUBTYPE` into its two parts.
    public static func split(_ event: String) -> (type: String, subtype: String?) {
        let slash = event.firstIndex(of: "/") ?? event.endIndex
        return (String(event[..<slash]), slash == event.endIndex ? nil : String(event[event.index(after: slash)...]))
    }
}
