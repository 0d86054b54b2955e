/// How stores differ, as far as the rules need to know.
extension Provider {
    /// True when one purchase can hold several products, each a line of it. The ids of these stores never contain `#`;
    /// those of the others may contain any character.
    var sellsLines: Bool { self == .google || self == .stripe }

    /// True when a change of plan is announced in a separate event, before or after the purchase that makes it. At
    /// other stores, a charge for the announced product may belong to an older period, when the change leads back to a
    /// product bought before.
    var announcesPlanChanges: Bool { self == .revenuecat }

    /// True when the store calls a revoked subscription expired too. The charge tells the difference, unless access
    /// came back and ended later.
    var expiresRevocations: Bool { self == .google }

    /// True when the store can be told which order a purchase belongs to, so that its later statements name that order
    /// (https://developer.apple.com/documentation/appstoreserverapi/set-app-account-token).
    public var takesOrderTokens: Bool { self == .apple }
}
