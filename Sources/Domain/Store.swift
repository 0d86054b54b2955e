/// The systems whose webhooks we accept.
public enum Provider: String, CaseIterable, Sendable {
    case apple, google, stripe, revenuecat, purchasekit
}

/// A store's two environments, in Apple's spelling. Xcode's `Xcode` and `LocalTesting` are never served, so they have
/// no case.
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
    /// Used only to make a choice deterministic.
    public static func < (left: ProductKind, right: ProductKind) -> Bool { left.rawValue < right.rawValue }
}
