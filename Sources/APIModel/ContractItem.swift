public import Domain

/// A contract as support sees it: one object with the members of both.
public struct ContractItem: Codable, Sendable, Equatable {
    public struct Details: Codable, Sendable, Equatable {
        /// The store's name for the app.
        public var app: String
        /// A `ProductKind`.
        public var kind: String
        /// Null if nobody owns it yet.
        @Nullable public var owner: UserID?
        /// The others who hold it.
        public var sharedWith: [UserID]
        /// The newest order token that the store echoed: a UUID.
        @Nullable public var order: String?
        /// The store's own name for the buyer.
        @Nullable public var account: String?
        /// The lineage id of the contract that it replaced.
        @Nullable public var replaces: String?
        /// The date of the newest charge: ISO 8601, UTC.
        @Nullable public var purchasedAt: String?
        /// When that charge was revoked: ISO 8601, UTC.
        @Nullable public var revokedAt: String?
        /// What was charged, in thousandths of the currency's unit: 9990 is 9.99.
        @Nullable public var price: Int64?
        /// ISO 4217.
        @Nullable public var currency: String?
        /// When the store last said something about it, by the store's own date: ISO 8601, UTC.
        @Nullable public var statedAt: String?

        public init(
            app: String,
            kind: ProductKind,
            owner: UserID?,
            sharedWith: [UserID],
            order: OrderToken?,
            account: String?,
            replaces: String?,
            charge: Transaction?,
            statedAt: Instant?
        ) {
            self.app = app
            self.kind = kind.rawValue
            self.sharedWith = sharedWith
            self.owner = owner
            self.order = order?.description
            self.account = account
            self.replaces = replaces
            purchasedAt = charge?.purchasedAt.iso8601
            revokedAt = charge?.revokedAt?.iso8601
            price = charge?.price
            currency = charge?.currency
            self.statedAt = statedAt?.iso8601
        }
    }

    public var entitlement: EntitlementItem
    public var details: Details

    public init(entitlement: EntitlementItem, details: Details) {
        self.entitlement = entitlement
        self.details = details
    }

    public init(from decoder: any Decoder) throws {
        entitlement = try EntitlementItem(from: decoder)
        details = try Details(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try entitlement.encode(to: encoder)
        try details.encode(to: encoder)
    }
}
