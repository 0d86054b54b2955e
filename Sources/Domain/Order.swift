/// The token made before a purchase, with the user and the product that it is for.
public struct Order: Sendable, Equatable {
    public var token: OrderToken
    public var user: UserID
    public var product: String
    public var provider: Provider?
    public var group: String?
    public var kind: ProductKind?

    public init(
        token: OrderToken,
        user: UserID,
        product: String,
        provider: Provider? = nil,
        group: String? = nil,
        kind: ProductKind? = nil
    ) {
        self.token = token
        self.user = user
        self.product = product
        self.provider = provider
        self.group = group
        self.kind = kind
    }
}
