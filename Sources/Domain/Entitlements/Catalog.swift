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
        /// What it is called on pages.
        public var name: Name?
        /// What it opens, in the catalog's order.
        public var entitlements: [EntitlementName] = []
    }

    /// What pages call a product or an entitlement, in one language or in several.
    public struct Name: Sendable, Equatable, ExpressibleByStringLiteral {
        /// For those who read none of `translations`.
        public var text: String
        public var translations: [LanguageTag: String] = [:]

        public init(_ text: String) { self.text = text }

        public init(stringLiteral text: String) { self.init(text) }

        /// Of `zh-Hant-TW`, `zh-Hant` and `zh`, the first that the catalog has.
        public func text(in language: LanguageTag?) -> String {
            language?.fallbacks.lazy.compactMap { translations[$0] }.first ?? text
        }
    }

    /// The names of all entitlements, in the order of the file, the main one first. Without any in the catalog there is one,
    /// `default`.
    public let entitlements: [EntitlementName]
    /// False if they are not the catalog's own.
    public let namesEntitlements: Bool
    /// What entitlements are called on pages.
    public let titles: [EntitlementName: Name]
    private let products: [String: Product]
    /// The products' ids in the order of the file, in which they are displayed.
    public let productIDs: [String]

    /// `products` by the store's product id. Without `order`, products are displayed in the order of their ids.
    public init(
        _ products: [String: Product] = [:],
        entitlements: [EntitlementName] = [],
        titles: [EntitlementName: Name] = [:],
        order: [String]? = nil
    ) {
        self.products = products
        self.entitlements = entitlements.isEmpty ? Catalog.standard : entitlements
        namesEntitlements = !entitlements.isEmpty
        self.titles = titles
        productIDs = order ?? products.keys.sorted()
    }

    private static let standard: [EntitlementName] = [.standard]

    public subscript(product: String) -> Product? { products[product] }

    /// What pages call an entitlement: without a name in the catalog, what that calls it itself.
    func title(of entitlement: EntitlementName) -> Name { titles[entitlement] ?? Name(entitlement.description) }

    /// The entitlement that `#paywall`, `#subscription_status` and the answers' `active` are about.
    public var main: EntitlementName { entitlements[0] }
}

/// The name of a level of access that products open: 1 to 64 of `a–z 0–9 _ -`. It is part of ids of elements and the name of
/// a folder of templates.
public struct EntitlementName: Hashable, Sendable, CustomStringConvertible {
    /// The only one of a catalog that names none.
    public static let standard = EntitlementName(known: "default")

    public let description: String

    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLower || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") })
        else { return nil }
        description = text
    }

    private init(known text: String) { description = text }
}

/// What a purchase opens.
extension Catalog {
    /// The entitlements that a purchase of `product` opens. Consumables open none. A grant opens what it says. Any other
    /// product opens what the catalog says of it; of one that the catalog does not name, the store's own word decides at a
    /// store that has one. Without entitlements in the catalog, every product opens `default`, unless its store says that it
    /// opens nothing.
    ///
    /// `stated` is `Contract.entitlements`: nil if no event has said it yet. Which of several it is, is not guessed.
    public func opened(by product: String, kind: ProductKind, at provider: Provider, stated: String?)
        -> [EntitlementName]
    {
        if kind == .consumable { return [] }
        if provider == .paycast, let stated { return named(in: stated) }
        if let known = products[product] { return namesEntitlements ? known.entitlements : Catalog.standard }
        guard provider.statesEntitlements else { return namesEntitlements ? [] : Catalog.standard }
        guard let stated else { return namesEntitlements ? [] : Catalog.standard }
        if stated.isEmpty { return [] }
        return namesEntitlements ? named(in: stated) : Catalog.standard
    }

    /// True for a product of which nobody has said what it opens, not even a store that may, so that it opens nothing until
    /// the catalog does.
    func isMissing(_ product: String, kind: ProductKind, at provider: Provider, stated: String?) -> Bool {
        guard kind != .consumable, namesEntitlements, products[product] == nil, provider != .paycast else {
            return false
        }
        guard provider.statesEntitlements else { return true }
        return stated.map { !$0.isEmpty && named(in: $0).isEmpty } ?? true
    }

    /// `stated` is a list with commas; a store may state others than the catalog's.
    private func named(in stated: String) -> [EntitlementName] {
        let names = stated.split(separator: ",").map(String.init)
        return entitlements.filter { entitlement in names.contains { $0.hasSameBytes(as: entitlement.description) } }
    }
}

/// How long what is bought once gives access, where its store does not say.
extension Catalog {
    /// Nil for an option of a product (Google's rentals) that the catalog does not name as `PRODUCT:OPTION`: the store alone
    /// knows how long it lasts. A product without an option has the usual term unless the catalog says otherwise.
    public func duration(of product: String, option: String?) -> CalendarDuration? {
        guard let option else { return self[product]?.duration ?? Contract.nonRenewingTerm }
        return self[Catalog.name(of: product, option: option)]?.duration
    }

    /// True for a rental that opens nothing until the catalog says how long it lasts.
    public func isUnnamedRental(_ charge: Transaction) -> Bool {
        charge.option != nil && charge.expiresAt == nil && duration(of: charge.product, option: charge.option) == nil
    }

    /// `PRODUCT:OPTION`, or the product that has no options.
    public static func name(of product: String, option: String?) -> String {
        option.map { "\(product):\($0)" } ?? product
    }
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
