/// A system whose webhooks Paycast accepts, identified by the name that it has in paths, settings, metrics and the
/// ledger. The type is open: `Stores.all` lists the ones that exist, and only what rules ask for needs a constant here.
public struct Provider: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    public static let apple = Provider(rawValue: "apple")
    public static let google = Provider(rawValue: "google")
    public static let stripe = Provider(rawValue: "stripe")
    public static let revenuecat = Provider(rawValue: "revenuecat")
    public static let purchasekit = Provider(rawValue: "purchasekit")
    /// What the app's own backend and its support staff grant, without a store.
    public static let paycast = Provider(rawValue: "paycast")
}

/// Where something was bought, in Apple's spelling. `LocalTesting`, of unit tests on a device, is never served, so it has
/// no case.
public enum StoreEnvironment: String, CaseIterable, Sendable {
    case production = "Production"
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode, on the developer's own machine: no store knows of it, and only a development server
    /// believes it.
    case xcode = "Xcode"

    /// The two in which stores sell.
    public static let ofStores: [StoreEnvironment] = [.production, .sandbox]
}

/// The kind of a product, which decides how access is computed.
public enum ProductKind: String, CaseIterable, Sendable {
    case subscription
    case nonRenewing = "non_renewing"
    case nonConsumable = "non_consumable"
    case consumable
}

extension ProductKind: Comparable {
    /// Used only to make a choice deterministic.
    public static func < (left: ProductKind, right: ProductKind) -> Bool { left.rawValue < right.rawValue }
}

/// How stores differ, as far as the rules need to know.
extension Provider {
    /// True when one purchase can hold several products, each a line of it. The ids of these stores never contain `#`;
    /// those of the others may contain any character.
    var sellsLines: Bool { self == .google || self == .stripe }

    /// True when a line's id is its product's.
    var namesLinesByProduct: Bool { self == .google }

    /// True when a change of plan is announced in a separate event, before or after the purchase that makes it. At
    /// other stores, a charge for the announced product may belong to an older period, when the change leads back to a
    /// product bought before.
    var announcesPlanChanges: Bool { self == .revenuecat }

    /// True when the store says which entitlements its purchases open.
    var statesEntitlements: Bool { self == .revenuecat }

    /// True when the store makes up ids for buyers whom the app has not named yet.
    public var makesUpIDs: Bool { self == .revenuecat }

    /// True for such an id. It is never a user's.
    public func isAnonymous(_ id: String) -> Bool { makesUpIDs && id.utf8.starts(with: "$RCAnonymousID:".utf8) }

    /// True when the store calls a revoked subscription expired too. The charge tells the difference, unless access
    /// came back and ended later.
    var expiresRevocations: Bool { self == .google }

    /// True when the store can be told which order a purchase belongs to, so that its later statements name that order
    /// (https://developer.apple.com/documentation/appstoreserverapi/set-app-account-token).
    public var takesOrderTokens: Bool { self == .apple }
}
