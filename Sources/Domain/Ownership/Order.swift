/// The token made before a purchase, with the user and the product that it is for.
public struct Order: Sendable, Equatable {
    public var token: OrderToken
    public var user: UserID
    public var product: String
    public var provider: Provider?
    public var group: String?
    public var kind: ProductKind?
    public var context = OrderContext.none
    /// The newest that came with a request for it, or with a purchase that an app posted.
    public var trace: TraceID?
}

extension Order {
    /// How many orders of the same request are looked at for one that is still open. There is one at most, unless the app
    /// brings tokens of its own as well.
    public static let likeLimit = 8

    public init(token: OrderToken, user: UserID, product: String) {
        self.token = token
        self.user = user
        self.product = product
    }
}

/// Who is about to buy what. `token` binds a UUID that the app generated itself.
public struct OrderRequest: Sendable {
    public var user: UserID
    public var product: String
    public var provider: Provider?
    public var group: String?
    public var kind: ProductKind?
    public var token: OrderToken?
    public var locale = UserLocale.unknown
    public var context = OrderContext.none
    /// Says nothing about what is bought: two requests that differ in it alone are equal.
    public var trace: TraceID?
}

extension OrderRequest {
    public init(user: UserID, product: String) { self.init(user: user, product: product, provider: nil) }
}

/// Two requests are equal when their bytes are, as orders are.
extension OrderRequest: Hashable {
    public static func == (left: OrderRequest, right: OrderRequest) -> Bool {
        left.user == right.user && left.product.hasSameBytes(as: right.product) && left.provider == right.provider
            && left.group.map { Array($0.utf8) } == right.group.map { Array($0.utf8) } && left.kind == right.kind
            && left.token == right.token && left.locale == right.locale && left.context == right.context
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(user)
        product.hashBytes(into: &hasher)
        hasher.combine(token)
    }
}

public struct OrderResult: Sendable, Equatable {
    public var order: Order
    /// A page that resumes from here misses nothing of this purchase.
    public var since: Cursor
    /// Where the user's pages were ended last; 0 if they never were.
    public var ending: Int64
    /// False when the same request had been made before.
    public var isNew: Bool
}

extension Order {
    /// True when a genuine purchase cannot be the one that this order was made for.
    ///
    /// Only facts that both the order and the purchase state can contradict each other. A different product is no
    /// contradiction: within its group it is an upgrade, and an app may bind one token of its own to everything that a
    /// user buys.
    public func contradicts(_ contract: Contract) -> Bool {
        contradicts(provider: contract.key.provider, group: contract.group?.value, kind: contract.kind)
    }

    public func contradicts(provider observed: Provider, group observedGroup: String?, kind observedKind: ProductKind)
        -> Bool
    {
        if let provider, provider != observed { return true }
        if let group, let observedGroup, group != observedGroup { return true }
        // Not every store tells the one-time kinds apart (RevenueCat does not), so only this difference is certain.
        guard let kind else { return false }
        return (kind == .subscription) != (observedKind == .subscription)
    }
}

/// The UUID made before a purchase and echoed by the store (Apple: `appAccountToken`). It is always lowercase: Apple
/// compares it case-insensitively, and so do we.
public struct OrderToken: Hashable, Sendable, LosslessStringConvertible {
    public let description: String

    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            let isDash = [8, 13, 18, 23].contains(index)
            guard isDash ? byte == 45 : byte.isHexDigit else { return nil }
        }
        description = text.utf8.contains(where: \.isUpper) ? text.lowercased() : text
    }

    /// A random version-4 UUID (RFC 9562): 122 random bits, so that nobody can guess another user's token.
    public static func random() -> OrderToken {
        OrderToken(bits: .random(in: .min ... .max), and: .random(in: .min ... .max))
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> OrderToken {
        OrderToken(
            bits: .random(in: .min ... .max, using: &generator),
            and: .random(in: .min ... .max, using: &generator)
        )
    }

    private init(bits first: UInt64, and second: UInt64) {
        let high = (first & ~0xF000) | 0x4000
        let low = (second & ~(3 << 62)) | (1 << 63)
        let hex = [high, low].map { padded(String($0, radix: 16), to: 16) }.joined()
        let cuts = [0, 8, 12, 16, 20, 32]
        let groups = zip(cuts, cuts.dropFirst()).map { String(hex.dropFirst($0).prefix($1 - $0)) }
        description = groups.joined(separator: "-")
    }
}
