import APIModel

@testable import API
@testable import Domain

/// Facts about user 42, as the API tells them.
enum ConsoleFixture {
    /// 3 December 2025, 12:00 UTC.
    static let now = Instant(milliseconds: 1_764_763_200_000)

    static func date(_ day: Double) -> Instant { now + .seconds(Int64(day * 86_400)) }

    /// `days` from now.
    static func contract(
        _ state: ContractState = .active,
        until days: Double? = 31,
        provider: Provider = .apple,
        environment: StoreEnvironment = .production,
        isActive: Bool? = nil,
        lineage: String = "1001",
        product: String = "pro.monthly",
        owner: UserID? = "42",
        account: String? = nil
    ) -> ContractDetail {
        let summary = ContractSummary(
            product: product,
            opens: [.standard],
            group: nil,
            state: state,
            isActive: isActive ?? state.givesAccess,
            accessUntil: days.map(date),
            autoRenew: nil,
            pendingProduct: nil,
            provider: provider,
            store: provider.rawValue,
            environment: environment,
            contract: lineage,
            isFamilyShared: false
        )
        let details = ContractDetail.Details(
            app: "com.example.app",
            kind: "subscription",
            owner: owner,
            sharedWith: [],
            order: nil,
            account: account,
            replaces: nil,
            purchasedAt: nil,
            revokedAt: nil,
            price: nil,
            currency: nil,
            statedAt: date(-1).iso8601
        )
        return ContractDetail(summary: ContractItem(summary), details: details)
    }

    static func order(
        _ order: Order,
        createdAt: Instant,
        state: String = "open",
        purchases: [OrderPurchaseItem] = []
    ) -> OrderItem {
        OrderItem(
            order: order.token.description,
            user: order.user,
            product: order.product,
            provider: order.provider?.rawValue,
            group: order.group,
            kind: order.kind?.rawValue,
            createdAt: createdAt.iso8601,
            state: state,
            purchases: purchases,
            quarantined: []
        )
    }

    static func event(
        _ kind: EventKind,
        type: String? = "DID_RENEW",
        outcome: Outcome? = .applied,
        state: ContractState? = .active,
        from previous: ContractState? = nil,
        day: Double = 0,
        position: Int64 = 7,
        provider: Provider = .apple,
        lineage: String? = "1001"
    ) -> FeedItem {
        let json =
            #"{"cursor":"e-\#(position)","at":"\#(date(day).iso8601)","kind":"\#(kind.rawValue)","fragments":[]}"#
        guard var item = JSON.decode(FeedItem.self, from: Array(json.utf8)) else { preconditionFailure(json) }
        item.type = type
        item.outcome = outcome?.rawValue
        item.state = state?.rawValue
        item.previousState = previous?.rawValue
        item.provider = provider.rawValue
        item.contract = lineage
        item.event = "event-\(position)"
        item.occurredAt = item.at
        return item
    }

    static func record(
        _ contracts: [ContractDetail] = [],
        entitlements: [String: EntitlementItem] = [:],
        orders: [OrderItem] = [],
        refunds: [AttentionAnswer.Refund] = [],
        user: UserID = "42"
    ) -> UserAnswer {
        UserAnswer(
            user: user,
            stream: "user:\(user):paywall",
            locale: nil,
            active: contracts.contains { $0.summary.active },
            entitlements: entitlements,
            contracts: contracts,
            refunds: refunds,
            orders: orders,
            since: cursor
        )
    }

    /// By their names, of which the first is the main one; `opened` is what the contract opens.
    static func entitlements(_ names: [String], opened: [String], by state: ContractState = .active)
        -> [String: EntitlementItem]
    {
        let names = names.compactMap(EntitlementName.init)
        var product = Catalog.Product.unknown
        product.entitlements = names.filter { opened.contains($0.description) }
        let policy = AccessPolicy(
            sandboxUsers: .any,
            catalog: Catalog(["pro.monthly": product], entitlements: names)
        )
        let key = ContractKey(provider: .apple, environment: .production, app: "com.example.app", lineage: "1001")
        let status = ContractStatus(state: state, product: "pro.monthly", accessUntil: date(31))
        let contract = HeldContract(
            of: Contract(key: key, kind: .subscription),
            status: status,
            catalog: policy.catalog
        )
        return EntitlementItem.byName(EntitlementSet(user: "42", held: [contract], policy: policy).entitlements)
    }

    static func events(_ events: [FeedItem], user: UserID = "42", since: Int64 = 7) -> UserEventsAnswer {
        UserEventsAnswer(user: user, events: events, next: nil, since: "e-\(since)")
    }

    /// What needs somebody. `count` is that of all unclaimed purchases.
    static func attention(
        refused: [AttentionAnswer.Refused] = [],
        unclaimed: [FeedItem] = [],
        count: Int? = nil,
        failedHooks: [HookDeliveriesAnswer.Delivery] = [],
        unlisted: [AttentionAnswer.Unlisted] = [],
        problems: [String] = []
    ) -> AttentionAnswer {
        AttentionAnswer(
            node: "n1",
            refused: refused,
            unclaimedContracts: count ?? unclaimed.count,
            unclaimed: unclaimed,
            quarantined: [],
            jobs: [],
            refunds: [],
            hooks: [],
            failedHooks: failedHooks,
            unlisted: unlisted,
            problems: problems,
            warnings: []
        )
    }

    static let cursor = "e-7"
}
