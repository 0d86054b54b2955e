/// A kind of message that the app's backend is sent.
public enum HookType: String, CaseIterable, Sendable {
    /// What a user may use has changed.
    case entitlementsChanged = "entitlements.changed"
    /// A consumable is the user's: the backend hands it out once.
    case purchaseDelivered = "purchase.delivered"
    /// A consumable that was handed out has been taken back.
    case purchaseRevoked = "purchase.revoked"
    /// Somebody was charged: for a purchase of any kind, or for a renewal.
    case purchaseMade = "purchase.made"
    /// Some or all of a charge was given back.
    case purchaseRefunded = "purchase.refunded"
    /// A user was erased.
    case userErased = "user.erased"
}

extension HookType {
    /// What an address is told that does not say what it wants: what decides about access and what is handed out. Charges are
    /// about money, and each purchase of a consumable is one, too: only who asks for both is told both.
    public static let usual = Set(allCases).subtracting([.purchaseMade, .purchaseRefunded])
}

/// An address of the app's backend, and what it is told.
public struct HookTarget: Sendable, Equatable {
    /// A whole URL, from the settings alone.
    public var address: String
    public var types: Set<HookType>

    public init(address: String, types: Set<HookType> = HookType.usual) {
        self.address = address
        self.types = types
    }
}

/// What a backend's answer to one attempt means for its message.
public enum HookResult: Sendable, Equatable {
    case accepted
    case retry(at: Instant, reason: String)
    /// All attempts have failed. The message is kept for a month, and can be sent again.
    case failed(reason: String)
    /// The address is gone: nothing is sent there before settings are read that name it again.
    case gone(reason: String)
}
