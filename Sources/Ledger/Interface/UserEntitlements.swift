public import Domain

/// What a user holds, and where to resume from.
public struct UserEntitlements: Sendable, Equatable {
    public var isActive: Bool
    /// The entitlement that speaks for the user comes first, and those that the policy does not honor come last. Of the
    /// consumables, only the newest 100.
    public var entitlements: [Entitlement]
    public var since: Cursor

    public init(isActive: Bool, entitlements: [Entitlement], since: Cursor) {
        self.isActive = isActive
        self.entitlements = entitlements
        self.since = since
    }
}
