public import APIModel
public import Domain
import Ledger

/// What was posted for a user, or said to be the user's, and was refused.
public struct RefusalItem: Codable, Sendable, Equatable {
    /// When it came last: ISO 8601, UTC.
    public var at: String
    /// The error's code: `owned_by_other` for a genuine purchase that stayed with its owner.
    public var reason: String
    /// One sentence.
    public var message: String
    /// Null for the name of a stream.
    @Nullable public var provider: String?
    /// The store's lineage id; null unless it stayed with its owner.
    @Nullable public var contract: String?
    @Nullable public var product: String?
    /// Who has the purchase; null if nobody has, and for any other reason.
    @Nullable public var owner: UserID?
    /// The node that refused it and remembers it until it restarts; null for what the ledger knows.
    @Nullable public var node: String?
    /// How often it came, as far as the node remembers.
    public var count: Int
}

extension RefusalItem {
    init(_ claim: RefusedClaim) {
        self.init(
            at: claim.at.iso8601,
            reason: "owned_by_other",
            message: "The purchase is genuine and stays another user's; see PAYCAST_TRANSFERS.",
            provider: claim.contract.provider.rawValue,
            contract: claim.contract.lineage,
            product: claim.product,
            owner: claim.owner,
            node: nil,
            count: 1
        )
    }

    init(_ refusal: RefusedOfUsers.Refusal, node: String) {
        self.init(
            at: refusal.at.iso8601,
            reason: refusal.reason,
            message: refusal.message,
            provider: refusal.provider?.rawValue,
            contract: nil,
            product: nil,
            owner: nil,
            node: node,
            count: refusal.count
        )
    }
}
