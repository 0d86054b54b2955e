/// A system whose webhooks Paycast takes, by the name that paths, settings, metrics and the ledger give it. Which of
/// them there are, the list of the stores says, and nobody else.
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
}

/// A store's two worlds, in Apple's spelling. Xcode's `Xcode` and `LocalTesting` are never served, so they have no case.
public enum StoreEnvironment: String, CaseIterable, Sendable {
    case production = "Production"
    case sandbox = "Sandbox"
}

/// What is sold; it decides how access is computed.
public enum ProductKind: String, CaseIterable, Sendable {
    case subscription
    case nonRenewing = "non_renewing"
    case nonConsumable = "non_consumable"
    case consumable
}

extension ProductKind: Comparable {
    /// Only for a choice that must always come out the same.
    public static func < (left: ProductKind, right: ProductKind) -> Bool { left.rawValue < right.rawValue }
}
