public import Domain

/// The body of `POST /users/{user}/grants`: with one of `until`, `days` and `forever`.
public struct GrantRequest: Codable, Sendable, Equatable {
    /// The product by the app's catalog, or by a store's id.
    public var product: String
    /// The group in which one product is active at a time.
    public var group: String?
    /// ISO 8601.
    public var until: String?
    /// From now on.
    public var days: Int64?
    public var forever: Bool?
    public var reason: String

    public init(
        product: String,
        group: String? = nil,
        until: String? = nil,
        days: Int64? = nil,
        forever: Bool? = nil,
        reason: String
    ) {
        self.product = product
        self.group = group
        self.until = until
        self.days = days
        self.forever = forever
        self.reason = reason
    }
}

/// Answers `POST /users/{user}/grants`, and `DELETE` of one.
public struct GrantAnswer: Codable, Sendable, Equatable {
    /// The id that takes it back: the contract's in entitlements and events.
    public var grant: String
    public var user: UserID
    public var product: String
    /// Null if it has none.
    @Nullable public var group: String?
    /// ISO 8601, UTC.
    public var grantedAt: String
    /// When it ends by itself: ISO 8601, UTC; null for ever.
    @Nullable public var until: String?
    /// When it was taken back: ISO 8601, UTC; null if it was not.
    @Nullable public var revokedAt: String?
    /// Where it was committed.
    public var cursor: String

    public init(
        grant: String,
        user: UserID,
        product: String,
        group: String?,
        grantedAt: Instant,
        until: Instant?,
        revokedAt: Instant?,
        cursor: Cursor
    ) {
        self.grant = grant
        self.user = user
        self.product = product
        self.grantedAt = grantedAt.iso8601
        self.cursor = cursor.description
        self.group = group
        self.until = until?.iso8601
        self.revokedAt = revokedAt?.iso8601
    }
}

/// The body of `POST /users/{user}/claims`.
public struct ClaimRequest: Codable, Sendable, Equatable {
    /// The store's id of an event of the purchase.
    public var event: String
    /// For the audit.
    public var reason: String

    public init(event: String, reason: String) {
        self.event = event
        self.reason = reason
    }
}
