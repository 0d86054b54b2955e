public import Crypto
public import Domain
public import Encoding
import HTTPClient
public import Support

/// A store whose webhooks Paycast accepts, with the settings that were read for it. Everything specific to a store is
/// in its folder: `Stores.all` lists it, and the pipeline knows it only through this protocol.
public protocol Store: Sendable {
    associatedtype Opened: OpenStore

    static var provider: Provider { get }
    /// As people write it: “App Store”.
    static var title: String { get }
    /// In a sentence of the console: “Apple”.
    static var name: String { get }

    /// Which fields of an event the console shows, under the names that the store itself has for them. What is not listed is not
    /// shown, whatever the event says.
    static var fields: KeyValuePairs<String, EventField> { get }

    /// What the store's API can look up. Nil for a store that is not asked.
    static var lookup: PurchaseLookup? { get }

    /// Where the subscription with this lineage id is cancelled; nil if the store has no page for that.
    static func cancelPage(of contract: String, isTest: Bool) -> CancelPage?

    /// Whether it delivers webhooks, and so sells something. Grants are made by a route of their own.
    static var hasWebhooks: Bool { get }

    /// The types that apps post to `/transactions/{store}` and `/receipts/{store}`. Nil without such a route.
    static var transactions: (any PostedPurchase.Type)? { get }
    static var receipts: (any PostedPurchase.Type)? { get }

    /// What the backend posts to `/transactions/{store}` of a purchase that it knows only by an id, perhaps with one of several
    /// apps or accounts. Nil for a store that is not asked.
    static func named(_ id: String, app: String?) -> WireJSON?

    /// The type that `/offers/{store}` reads. Nil for a store that asks for no signature.
    static var offers: (any RequestedOffer.Type)? { get }

    /// The variables that prove who posts a webhook: what to compare with the store when its deliveries are refused.
    static var webhookSecret: String { get }

    /// The variable that lists the apps or accounts that are served.
    static var appSetting: String { get }

    /// The id of the event that a refused delivery claims to bring, if it looks like the store's in everything but its
    /// proof: form of the id, and a signature of some kind. Nil for anything else, so that a stranger's junk raises no
    /// alarm. It must be cheap, and make use of `ClaimedID`.
    static func claimedID(of delivery: Delivery) -> String?

    /// The variable with the key that reads the store's history. Nil for a store that keeps none.
    static var historyKey: String? { get }

    /// Reads the store's variables. A wrong one is reported to the reader and gets its default here.
    init(_ settings: inout SettingsReader)

    /// The variables that are missing, without which the store's webhooks are answered 503. Empty in development, where
    /// the simulated store supplies what is not set.
    var missingSettings: [String] { get }

    /// Whether something of the store is set, so that its webhooks are expected.
    var isExpected: Bool { get }

    /// The environments whose documents are accepted.
    var environments: Set<StoreEnvironment> { get }

    /// The app that a development server's simulated store sells for; nil for the simulator's own.
    var simulatedApp: String? { get }

    /// Whether the store's API can be called, to confirm the end of a period or to set an order's token.
    var hasAPI: Bool { get }

    /// Adopts the keys and secrets that a reload may change. A wrong one keeps its old value and does not hold up the
    /// others.
    mutating func reload(from new: Self, changes: inout SettingsChanges)

    /// Nil when settings are missing.
    func open(_ dependencies: StoreDependencies) throws(StoreError) -> Opened?

    /// The findings of `paycast doctor` about the store. `url` is the server's public address, if one was given. It blocks
    /// while it calls the store's API.
    func examine(_ dependencies: StoreDependencies, url: String?) -> [Finding]

    /// The findings of `paycast doctor` about the certificates that verify the store's documents. It asks nobody.
    func checkCertificates(at now: Instant) -> [Finding]
}

extension Store {
    public static var name: String { title }
    public static var fields: KeyValuePairs<String, EventField> { [:] }
    public static var lookup: PurchaseLookup? { nil }
    public static func cancelPage(of contract: String, isTest: Bool) -> CancelPage? { nil }
    public static var hasWebhooks: Bool { true }
    public static var transactions: (any PostedPurchase.Type)? { nil }
    public static var receipts: (any PostedPurchase.Type)? { nil }
    public static func named(_ id: String, app: String?) -> WireJSON? { nil }
    public static var offers: (any RequestedOffer.Type)? { nil }
    public static var historyKey: String? { nil }
    public static var appSetting: String { webhookSecret }

    /// Whether apps post purchases.
    public static var takesPosts: Bool { transactions != nil || receipts != nil }

    public var environments: Set<StoreEnvironment> { Set(StoreEnvironment.ofStores) }
    public var simulatedApp: String? { nil }
    public var isExpected: Bool { missingSettings.isEmpty }
    public var hasAPI: Bool { false }

    /// For a store whose only setting is a secret.
    public func examine(_ dependencies: StoreDependencies, url: String?) -> [Finding] { [] }

    public func checkCertificates(at now: Instant) -> [Finding] { [] }
}

/// The store's own page where a subscription is cancelled.
public enum CancelPage: Sendable {
    /// Of whoever bought it.
    case buyers(String)
    /// Of whoever sells.
    case sellers(String)
}

/// A field of an event, or of what is kept of it.
public enum EventField: Sendable {
    case type, subtype, event, environment, app, product, next, charge, contract, replaces, order, user, group
    case bought, paidUntil, takenBack, renews, price, family, opens
}

/// A store with its settings in force.
public protocol OpenStore: Sendable {
    var verifier: any StoreVerifier { get }
    /// Nil without a key of the store's API.
    var api: (any StoreAPI)? { get }
    /// A purchase that does not exist. Only a key that may read purchases is told so; the server asks to learn whether
    /// ours may, and whether there is an answer at all. Nil without a key.
    var nobodysPurchase: ContractKey? { get }
    /// The server calls the API regularly: it is asked about nobody's purchase only while it is silent, or the clock is off.
    var isCalledAnyway: Bool { get }
    /// Nil when the store keeps none, or without a key that reads it.
    var history: HistorySource? { get }
    /// What a name stands for that has one of `PurchaseLookup`'s kinds: nothing for what the store does not know, and nil without a
    /// key. It blocks, for `PurchaseLookup.patience` at most without an answer.
    func find(_ name: String, now: Instant) throws(StoreAPIError) -> [FoundPurchase]?
    /// When the first of the certificates ends that prove the store's documents; nil if none is pinned.
    var rootsEnd: Instant? { get }
}

extension OpenStore {
    public var api: (any StoreAPI)? { nil }
    public var nobodysPurchase: ContractKey? { nil }
    public var isCalledAnyway: Bool { false }
    public var history: HistorySource? { nil }
    public func find(_ name: String, now: Instant) throws(StoreAPIError) -> [FoundPurchase]? { nil }
    public var rootsEnd: Instant? { nil }
}

/// A store without an API can be its own verifier.
extension OpenStore where Self: StoreVerifier {
    public var verifier: any StoreVerifier { self }
}

/// Everything that a server gives a store in addition to the store's settings.
public struct StoreDependencies: Sendable {
    public var catalog = Catalog()
    public var clock: @Sendable () -> Instant
    /// Receives the result of each call to the store's API.
    public var observer: StoreCallObserver = { _ in }
    /// Receives the result of each fetch of the keys that sign what the store sends.
    public var keysObserver: StoreCallObserver = { _ in }
    /// Receives what the store says of the time.
    public var timed: @Sendable (StoreTime) -> Void = { _ in }
    /// Whether a call just now got no answer: whoever has a proof without the store's does not wait for another.
    public var isSilent: @Sendable () -> Bool = { false }
    /// Receives the reason when a webhook is answered 503 because the store's API did not say what the webhook was
    /// about.
    public var report: @Sendable (StoreAPIError) -> Void = { _ in }
    /// Receives the account of each webhook that is ignored because the settings do not list that account.
    public var unlisted: @Sendable (_ account: String) -> Void = { _ in }
    /// `PAYCAST_FORWARD`, for a store that sends its Sandbox notifications to only one address.
    public var forwards: [String] = []
    /// Nil in production.
    public var development: StoreDevelopment?

    public init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }

    /// A client for the store's API, whose answers say what time it is.
    func client(timeout: Duration = .seconds(8)) -> HTTPClient {
        HTTPClient(timeout: timeout) { [timed] response in
            guard let date = response.header("Date").flatMap(Instant.init(httpDate:)) else { return }
            // A cache in between has kept it for so long (RFC 9111 §5.1).
            let age = response.header("Age").flatMap { Int64($0) } ?? 0
            timed(.answered(date + .seconds(min(max(0, age), 1 << 32))))
        }
    }
}

/// What a store says of the time.
public enum StoreTime: Sendable {
    /// The date of an answer that has just come.
    case answered(Instant)
    /// When a genuine document was signed that was refused only because this is not about now.
    case signed(Instant)
}

/// Replacements for missing settings on a development server: a simulated store and its keys.
public struct StoreDevelopment: Sendable {
    /// The simulated Google's accounts: the one that calls its API, and the one that it pushes with.
    public typealias Account = (
        name: String, keyID: String, key: RSAPrivateKey, audience: String, pushAccount: String
    )

    /// The secrets with which the simulated store signs its webhooks, or which it sends in them.
    public var secret: String?
    /// The app that the simulated store sells for.
    public var app: String?
    /// The root of the certificates that it signs with, in PEM.
    public var root: String?
    public var account: Account?
    /// Where its API answers; nil before the server listens.
    public var address: @Sendable () -> String?

    public init(address: @escaping @Sendable () -> String?) {
        self.address = address
    }
}

/// Why a store cannot be opened with its settings. Safe to print; the text says what to do.
public struct StoreError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
