/// Who is about to buy what. `token` binds a UUID that the app generated itself.
public struct OrderRequest: Sendable, Hashable {
    public var user: UserID
    public var product: String
    public var provider: Provider?
    public var group: String?
    public var kind: ProductKind?
    public var token: OrderToken?
    /// The language that the user reads; nil says nothing about it.
    public var language: LanguageTag?

    public init(
        user: UserID,
        product: String,
        provider: Provider? = nil,
        group: String? = nil,
        kind: ProductKind? = nil,
        token: OrderToken? = nil,
        language: LanguageTag? = nil
    ) {
        self.user = user
        self.product = product
        self.provider = provider
        self.group = group
        self.kind = kind
        self.token = token
        self.language = language
    }
}

public struct OrderResult: Sendable, Equatable {
    public var order: Order
    /// A page that resumes from here misses nothing of this purchase.
    public var since: Cursor
    /// False when the same request had been made before.
    public var isNew: Bool

    public init(order: Order, since: Cursor, isNew: Bool) {
        self.order = order
        self.since = since
        self.isNew = isNew
    }
}
