/// Facts about the app's products (`PAYCAST_CATALOG`) that stores do not tell.
public struct Catalog: Sendable, Equatable {
    public struct Product: Sendable, Equatable {
        /// Nothing is known of it.
        public static let unknown = Product()

        public var group: String?
        /// Within a group, the product with the higher level speaks for the user.
        public var level = 0
        public var kind: ProductKind?
        /// How long a non-renewing purchase gives access.
        public var duration: CalendarDuration?
        /// Its name on pages.
        public var name: String?
    }

    private let products: [String: Product]

    /// By the store's product id.
    public init(_ products: [String: Product] = [:]) {
        self.products = products
    }

    public subscript(product: String) -> Product? { products[product] }
}

/// The app's rules for access.
public struct AccessPolicy: Sendable, Equatable {
    /// The users for whom a Sandbox purchase opens access (`PAYCAST_SANDBOX_USERS`). It is `any` for `*`, in
    /// development, and on a server that serves only Sandbox.
    public var sandboxUsers: Allowlist<UserID>
    public var catalog = Catalog()
    public var transfers = TransferPolicy.transfer
    /// The stores for whose API this server has a key. It asks them before it believes that a period has ended, and
    /// tells them which user a purchase belongs to.
    public var apis: Set<Provider> = []
    /// Whether purchases in Xcode open access: in development only. A ledger that moves to production may hold some.
    public var honorsXcode = false
    /// How long access outlasts a period whose renewal is expected. Notifications come seconds late, RevenueCat's a
    /// minute late (https://www.revenuecat.com/docs/integrations/webhooks), and asking a store takes time.
    public var leeway = Duration.zero
    /// Who is told when what a user may use has changed. Without one, nobody compares what was before and after.
    public var hooks: [HookTarget] = []

    public func opensAccess(for user: UserID, in environment: StoreEnvironment) -> Bool {
        switch environment {
        case .production: true
        case .sandbox: sandboxUsers.contains(user)
        case .xcode: honorsXcode
        }
    }
}

extension AccessPolicy {
    public init(sandboxUsers: Allowlist<UserID>) { self.init(sandboxUsers: sandboxUsers, hooks: []) }
}
