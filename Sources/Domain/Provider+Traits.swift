/// What the rules must know about the store that said something.
extension Provider {
    /// Sells several products at once, each a line of one contract. Ids of the others may hold any sign, `#` too.
    var sellsLines: Bool { self == .google || self == .stripe }

    /// Announces a change of plan beside the purchase that makes it, before or after. Elsewhere a charge for what was
    /// announced may be that of an older period: back to what was bought before.
    var announcesPlanChanges: Bool { self == .revenuecat }

    /// Says of a revoked subscription too that it has expired: its charge tells, unless access came back and ended later.
    var expiresRevocations: Bool { self == .google }

    /// Can be told whose a purchase is, so that what it says later names the order
    /// (https://developer.apple.com/documentation/appstoreserverapi/set-app-account-token).
    public var takesOrderTokens: Bool { self == .apple }
}
