public import APIModel
public import Domain

/// What a user pays for more than once: several subscriptions renew, and open the same.
public struct PaidTwice: Codable, Sendable, Equatable {
    /// A subscription that renews.
    public struct Renewal: Codable, Sendable, Equatable {
        /// Who tells of it.
        public var provider: String
        /// Who sold it.
        public var store: String
        /// `Production` or `Sandbox`, where no money is taken.
        public var environment: String
        /// The store's lineage id.
        public var contract: String
        public var product: String
        /// When it is charged again: ISO 8601, UTC; null if the store has not said it.
        @Nullable public var renewsAt: String?
        /// The newest charge, in thousandths of the currency's unit.
        @Nullable public var price: Int64?
        /// ISO 4217.
        @Nullable public var currency: String?
        /// Whether the user has everything without it, by the others.
        public var dispensable: Bool
    }

    public var user: UserID
    /// The names of what more than one of them opens.
    public var entitlements: [String]
    /// The one that speaks for the user comes first, and those whose payment has failed come last.
    public var renewals: [Renewal]

    init(_ payment: DoublePayment) {
        user = payment.user
        entitlements = payment.entitlements.map(\.description)
        renewals = payment.contracts.map { contract in
            Renewal(
                provider: contract.contract.provider.rawValue,
                store: contract.store,
                environment: contract.contract.environment.rawValue,
                contract: contract.contract.lineage,
                product: contract.status.product,
                renewsAt: contract.status.accessUntil?.iso8601,
                price: contract.price,
                currency: contract.currency,
                dispensable: payment.dispensable.contains(contract.contract)
            )
        }
    }
}
