public import Domain

/// A user's entitlements, and the cursor to resume from.
public struct UserEntitlements: Sendable, Equatable {
    public var isActive: Bool
    /// The entitlement that decides about the user comes first; those that the policy does not honor come last. Only
    /// the newest 100 consumables are listed.
    public var entitlements: [Entitlement]
    public var since: Cursor

    public init(isActive: Bool, entitlements: [Entitlement], since: Cursor) {
        self.isActive = isActive
        self.entitlements = entitlements
        self.since = since
    }
}
