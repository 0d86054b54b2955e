/// Facts about the app's products (`PAYCAST_CATALOG`) that stores do not tell.
public struct Catalog: Sendable, Equatable {
    public struct Product: Sendable, Equatable {
        public var group: String?
        /// Within a group, the product with the higher level speaks for the user.
        public var level: Int
        public var kind: ProductKind?
        /// How long a non-renewing purchase gives access.
        public var duration: Duration?
        /// Its name on pages.
        public var name: String?

        public init(
            group: String? = nil,
            level: Int = 0,
            kind: ProductKind? = nil,
            duration: Duration? = nil,
            name: String? = nil
        ) {
            self.group = group
            self.level = level
            self.kind = kind
            self.duration = duration
            self.name = name
        }
    }

    private let products: [String: Product]

    /// By the store's product id.
    public init(_ products: [String: Product] = [:]) {
        self.products = products
    }

    public subscript(product: String) -> Product? { products[product] }
}
