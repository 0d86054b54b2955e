public import APIModel
public import Domain
import HTTP
import Ledger
import Pages

extension Services {
    /// `GET /users/{user}[?all=true]`: the current contracts and orders of a user.
    func user(_ user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard isValidIdentifier(user.text), let stream = streams.stream(for: user) else {
            throw RefusedBody.invalidUserID
        }
        let isWhole = try request.query.flag("all")
        return answer(asking: { try $0.record(of: user, isWhole: isWhole) }) { [refusedOfUsers, node, epoch] found in
            let refusals =
                found.refusals.map(RefusalItem.init)
                + refusedOfUsers.newest(of: user).map { RefusalItem($0, node: node) }
            let answer = UserAnswer(
                user: user,
                stream: stream.text,
                locale: found.locale.language?.text,
                timeZone: found.locale.timeZone?.text,
                active: found.isActive,
                entitlements: EntitlementItem.byName(found.entitlements),
                contracts: found.contracts.map(ContractDetail.init),
                paidTwice: found.doublePayment.map(PaidTwice.init),
                refusals: refusals.sorted { $0.at > $1.at },
                refunds: found.refunds.compactMap { AttentionAnswer.Refund($0, epoch: epoch) },
                orders: found.orders.map(OrderItem.init),
                since: found.head.description
            )
            return JSON.response(200, body: answer)
        }
    }
}

extension ContractDetail {
    fileprivate init(_ record: ContractRecord) {
        let contract = record.tracked.contract
        let charge = contract.transaction?.transaction
        self.init(
            summary: ContractItem(record.summary),
            details: Details(
                app: contract.key.app,
                kind: contract.kind.rawValue,
                owner: record.tracked.user,
                sharedWith: record.tracked.shares,
                order: contract.token?.value.description,
                account: contract.account?.value,
                replaces: contract.previousLineage?.value,
                purchasedAt: charge?.purchasedAt.iso8601,
                revokedAt: charge?.revokedAt?.iso8601,
                price: charge?.price,
                currency: charge?.currency,
                statedAt: [contract.snapshot?.snapshot.signedAt, charge?.signedAt].compactMap { $0 }.max()?.iso8601
            )
        )
    }
}

/// Answers `GET /users/{user}`.
public struct UserAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// The name of the stream that the user's pages follow.
    public var stream: String
    /// The language tag that the app reported last; left out if it never reported one.
    public var locale: String?
    /// The name of the time zone that the app reported last; left out if it never reported one.
    public var timeZone: String?
    /// Whether the main entitlement gives access now.
    public var active: Bool
    /// Each entitlement of the catalog, by its name.
    public var entitlements: [String: EntitlementItem]
    /// The contracts that speak for the user come first.
    public var contracts: [ContractDetail]
    /// Null if no two subscriptions that renew open the same.
    @Nullable public var paidTwice: PaidTwice? = nil
    /// Newest first.
    public var refusals: [RefusalItem] = []
    /// What Apple asks about refunds of the user's purchases, and nobody has answered; the most urgent first.
    public var refunds: [AttentionAnswer.Refund] = []
    /// The newest 100, newest first.
    public var orders: [OrderItem]
    /// The ledger's newest cursor when it was read.
    public var since: String
}

/// A contract as support sees it: one object with the members of both.
public struct ContractDetail: Codable, Sendable, Equatable {
    public struct Details: Codable, Sendable, Equatable {
        /// The store's name for the app.
        public var app: String
        /// A `ProductKind`.
        public var kind: String
        /// Null if nobody owns it yet.
        @Nullable public var owner: UserID?
        /// The others who hold it.
        public var sharedWith: [UserID]
        /// The newest order token that the store echoed: a UUID.
        @Nullable public var order: String?
        /// The store's own name for the buyer.
        @Nullable public var account: String?
        /// The lineage id of the contract that it replaced.
        @Nullable public var replaces: String?
        /// The date of the newest charge: ISO 8601, UTC.
        @Nullable public var purchasedAt: String?
        /// When that charge was revoked: ISO 8601, UTC.
        @Nullable public var revokedAt: String?
        /// The amount charged, in thousandths of the currency's unit: 9990 is 9.99.
        @Nullable public var price: Int64?
        /// ISO 4217.
        @Nullable public var currency: String?
        /// When the store last said something about it, by the store's own date: ISO 8601, UTC.
        @Nullable public var statedAt: String?
    }

    public var summary: ContractItem
    public var details: Details
}

extension ContractDetail {
    public init(from decoder: any Decoder) throws {
        self.init(summary: try ContractItem(from: decoder), details: try Details(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        try details.encode(to: encoder)
    }
}

/// The output of `paycast export`: everything known about a user.
public struct UserExport: Codable, Sendable, Equatable {
    public var record: UserAnswer
    /// What the user was charged for, newest first.
    public var purchases: [PurchaseItem] = []
    /// Newest first, with what stores sent.
    public var events: [FeedItem]
    /// Newest first: who did what to the user.
    public var audit: [AuditItem]

    public init(record: UserAnswer, events: [FeedItem], audit: [AuditItem] = []) {
        self.record = record
        self.events = events
        self.audit = audit
    }
}
