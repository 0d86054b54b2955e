public import Foundation

/// What a user may use, in the server's words (`GET /entitlements`).
public struct Entitlements: Codable, Equatable, Sendable {
    /// Whether anything opens access.
    public var active: Bool
    public var entitlements: [Entitlement]

    public init(active: Bool, entitlements: [Entitlement]) {
        self.active = active
        self.entitlements = entitlements
    }

    /// Whether the product opens access. Decide by this and not by `state`: a cancelled subscription runs on.
    public func opens(_ product: String) -> Bool {
        entitlements.contains { $0.product == product && $0.active }
    }
}

public struct Entitlement: Equatable, Sendable {
    public var product: String
    /// Such as `active`, `cancelled`, `in_grace_period` or `owned`.
    public var state: String
    public var active: Bool
    /// Nil for what never ends.
    public var accessUntil: Date? { end?.date }
    private var end: Instant?
    /// Nil for what does not renew, or if the store has not said.
    public var autoRenews: Bool?
    /// The product of the next period, if it changes.
    public var pendingProduct: String?
    /// `apple`, `google` or `stripe`, for example: only what the App Store sold is managed in the App Store.
    public var provider: String?
    /// Whether it is shared through the store's family.
    public var isFamilyShared: Bool { family ?? false }
    private var family: Bool?
    /// Of a consumable, how many were handed over; nil for all else.
    public var quantity: Int?

    public init(
        product: String,
        state: String,
        active: Bool,
        accessUntil: Date? = nil,
        autoRenews: Bool? = nil,
        pendingProduct: String? = nil,
        provider: String? = nil,
        isFamilyShared: Bool = false,
        quantity: Int? = nil
    ) {
        self.product = product
        self.state = state
        self.active = active
        end = accessUntil.map { Instant($0) }
        self.autoRenews = autoRenews
        self.pendingProduct = pendingProduct
        self.provider = provider
        family = isFamilyShared
        self.quantity = quantity
    }
}

extension Entitlement: Codable {
    private enum CodingKeys: String, CodingKey {
        case product, state, active, provider, quantity, family
        case end = "access_until"
        case autoRenews = "auto_renew"
        case pendingProduct = "pending_product"
    }
}

/// What the app knows of the user's entitlements. An app without a network still knows what it was told last: being
/// offline is never "nothing".
public enum EntitlementState: Equatable, Sendable {
    /// The server has not been asked yet, or nobody is logged in.
    case unknown
    case current(Entitlements)
    /// The server gives no answer now.
    case lastKnown(Entitlements, at: Date)

    public var entitlements: Entitlements? {
        switch self {
        case .unknown: nil
        case .current(let entitlements), .lastKnown(let entitlements, _): entitlements
        }
    }

    /// Whether the product opens access at the instant. What is only remembered counts until the date that it names.
    public func opens(_ product: String, at now: Date = Date()) -> Bool {
        switch self {
        case .unknown: false
        case .current(let entitlements): entitlements.opens(product)
        case .lastKnown(let entitlements, _):
            entitlements.entitlements.contains {
                $0.product == product && $0.active && ($0.accessUntil.map { $0 > now } ?? true)
            }
        }
    }
}

/// The last answer, on disk.
struct StoredEntitlements: Codable, Equatable, Sendable {
    /// The stream's owner: another user's answer is never shown.
    var owner: String
    var entitlements: Entitlements
    var etag: String?
    var knownAt: Date
    /// With it the next process asks, before anybody logs in. Files of older versions have none.
    var stream: SignedStream?

    /// Without the purchase that the store took back. The server names no ids of the store to apps, so the purchase is
    /// the one of its product that the App Store sold, bought or shared; of consumables it may be any.
    mutating func withdraw(_ product: String, isFamilyShared: Bool) {
        for index in entitlements.entitlements.indices {
            let held = entitlements.entitlements[index]
            guard held.product == product, held.isFamilyShared == isFamilyShared, held.quantity == nil,
                held.provider ?? "apple" == "apple"
            else { continue }
            entitlements.entitlements[index].active = false
            entitlements.entitlements[index].state = "revoked"
        }
        entitlements.active = entitlements.entitlements.contains(where: \.active)
        // The server's next answer is wanted whole, even if nothing has changed there.
        etag = nil
    }
}

/// The answer to `GET /entitlements`.
enum EntitlementsAnswer: Equatable, Sendable {
    case changed(Entitlements, etag: String?)
    case unchanged
    /// 401, 403: the stream does not count.
    case unauthorized(code: String)
    /// No answer, or none that says what the user has.
    case failed(retryAfter: TimeInterval?, unexpected: Int? = nil)

    init(_ response: ServerResponse) {
        let code = response.errorCode
        let failed = EntitlementsAnswer.failed(
            retryAfter: response.retryAfter,
            unexpected: response.isExpected ? nil : response.status
        )
        switch (response.status, code) {
        case (304, _): self = .unchanged
        case (401, let code?), (403, let code?): self = .unauthorized(code: code)
        case (200, _):
            let decoded = try? JSONDecoder().decode(Entitlements.self, from: response.body)
            self = decoded.map { .changed($0, etag: response.headers["etag"]) } ?? failed
        default: self = failed
        }
    }
}
