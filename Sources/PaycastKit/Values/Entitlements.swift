public import Foundation

/// What a user may use, in the server's words (`GET /entitlements`).
public struct Entitlements: Codable, Equatable, Sendable {
    /// Whether the main entitlement is open.
    public var active: Bool
    /// By name, such as `pro`: what the server's catalog calls a level of access. `default` if it names none.
    public var entitlements: [String: Entitlement]
    /// What was bought, whatever it opens.
    public var contracts: [Contract]

    /// Whether the entitlement is open, or the main one. Decide by this and not by `state`: a cancelled subscription runs on.
    public func isActive(_ name: String? = nil) -> Bool {
        name.map { entitlements[$0]?.active ?? false } ?? active
    }
}

extension Entitlements {
    /// What a product opens, the last catalog tells, or else a contract of it. Where nothing does, it is the main entitlement.
    func adding(_ proven: [SignedTransaction], catalog: Catalog?) -> Entitlements {
        var sum = self
        for transaction in proven {
            let listed = catalog?.products.first { $0.id == transaction.product }?.entitlements
            let opens = listed ?? contracts.last { $0.product == transaction.product }?.entitlements
            for name in opens ?? [] where !sum.isActive(name) {
                sum.entitlements[name] = Entitlement(
                    active: true,
                    state: "active",
                    product: transaction.product,
                    accessUntil: transaction.expiresAt,
                    provider: "apple",
                    store: "apple"
                )
            }
            if opens.map({ opensMain($0, catalog: catalog) }) ?? (catalog == nil) { sum.active = true }
            let contract = Contract(
                product: transaction.product,
                state: "active",
                active: true,
                accessUntil: transaction.expiresAt,
                provider: "apple",
                entitlements: opens
            )
            sum.contracts = sum.contracts.filter { $0.product != transaction.product || $0.active } + [contract]
        }
        return sum
    }

    /// Without a catalog, which one is the main one is known only of all together.
    private func opensMain(_ names: [String], catalog: Catalog?) -> Bool {
        if let main = catalog?.entitlements.first?.name { return names.contains(main) }
        return !names.isEmpty && entitlements.keys.allSatisfy(names.contains)
    }
}

/// One level of access, and what opens it.
public struct Entitlement: Codable, Equatable, Sendable {
    public var active: Bool
    /// Such as `active`, `cancelled`, `in_grace_period` or `owned`.
    public var state: String?
    public var product: String?
    /// Nil for what never ends.
    public var accessUntil: Date?
    /// Nil for what does not renew, or if the store has not said.
    public var autoRenews: Bool?
    public var isTrial: Bool?
    public var trialEndsAt: Date?
    /// Who told the server, such as `apple` or `revenuecat`.
    public var provider: String?
    /// Who sold it: only what the App Store sold is managed in the App Store.
    public var store: String?

    private enum CodingKeys: String, CodingKey {
        case active, state, product, provider, store
        case accessUntil = "access_until"
        case autoRenews = "auto_renew"
        case isTrial = "trial"
        case trialEndsAt = "trial_ends_at"
    }
}

/// One subscription, or one purchase for once.
public struct Contract: Codable, Equatable, Sendable {
    public var product: String
    /// Such as `active`, `cancelled`, `delivered` or `owned`.
    public var state: String
    public var active: Bool
    /// Nil for what never ends.
    public var accessUntil: Date?
    /// Nil for what does not renew, or if the store has not said.
    public var autoRenews: Bool?
    /// The product of the next period, if it changes.
    public var pendingProduct: String?
    /// `apple`, `google` or `stripe`, for example.
    public var provider: String?
    /// The names of what it opens.
    public var entitlements: [String]?
    /// Whether it is shared through the store's family.
    public var isFamilyShared: Bool?
    /// Of a consumable, how many were handed over; nil for all else.
    public var quantity: Int?

    private enum CodingKeys: String, CodingKey {
        case product, state, active, provider, entitlements, quantity
        case accessUntil = "access_until"
        case autoRenews = "auto_renew"
        case pendingProduct = "pending_product"
        case isFamilyShared = "family"
    }
}

/// What the app knows of the user's entitlements. Being offline is never "nothing": what it was told last still counts.
public enum EntitlementState: Equatable, Sendable {
    /// The server has not been asked yet, or nobody is logged in.
    case unknown
    case current(Entitlements)
    /// The server gives no answer now. What has ended since is closed, as far as this device's clock has ever told.
    case lastKnown(Entitlements, at: Date)
    /// What was known last and what the store has proven since, until the server answers. Never of another's order.
    case onDevice(Entitlements)

    public var entitlements: Entitlements? {
        switch self {
        case .unknown: nil
        case .current(let entitlements), .lastKnown(let entitlements, _), .onDevice(let entitlements): entitlements
        }
    }

    /// Whether the entitlement is open, or the main one.
    public func isActive(_ name: String? = nil) -> Bool { entitlements?.isActive(name) ?? false }
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
        close(as: "revoked") {
            $0.product == product && $0.isFamilyShared ?? false == isFamilyShared && $0.quantity == nil
                && $0.provider ?? "apple" == "apple"
        }
    }

    /// Without what has ended. It stays closed until the server answers: a clock that is set back opens nothing again.
    mutating func expire(at now: Date) {
        let latest = max(now, knownAt)
        close(as: "expired") { $0.accessUntil.map { $0 <= latest } ?? false }
    }

    /// An entitlement closes with its last contract. Which is the main one is not told: it closes with any other.
    private mutating func close(as state: String, _ isOver: (Contract) -> Bool) {
        let held = entitlements.contracts
        for index in held.indices where held[index].active && isOver(held[index]) {
            entitlements.contracts[index].active = false
            entitlements.contracts[index].state = state
        }
        guard entitlements.contracts != held else { return }
        // The server's next answer is wanted whole, even if nothing has changed there.
        etag = nil
        let open = Set(entitlements.contracts.filter(\.active).flatMap { $0.entitlements ?? [] })
        for (name, entitlement) in entitlements.entitlements where entitlement.active && !open.contains(name) {
            entitlements.entitlements[name]?.active = false
            entitlements.entitlements[name]?.state = state
            entitlements.active = false
        }
    }
}
