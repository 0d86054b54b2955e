import TestSupport

@testable import Domain

/// Events of stores, with defaults for everything that a test does not care about.
enum Fixture {
    static let now = TemporaryLedger.start

    static func key(
        _ lineage: String = "1",
        environment: StoreEnvironment = .production,
        provider: Provider = .apple
    ) -> ContractKey {
        ContractKey(provider: provider, environment: environment, app: "com.example", lineage: lineage)
    }

    static func event(_ id: String, kind: EventKind = .subscriptionRenewed, observation: Observation?) -> Event {
        Event(
            provider: observation?.contract.provider ?? .apple,
            environment: observation?.contract.environment ?? .production,
            app: "com.example",
            id: id,
            type: "T",
            kind: kind,
            signedAt: observation?.snapshot?.signedAt ?? observation?.transaction?.signedAt ?? now,
            observation: observation,
            body: Array("{\"id\":\"\(id)\"}".utf8)
        )
    }

    /// A subscription's event, `minute` minutes after the start.
    static func subscription(
        _ id: String,
        state: ContractState,
        minute: Int64 = 0,
        product: String = "monthly",
        pending: String? = nil,
        until: Duration = .seconds(30 * 86_400),
        token: OrderToken? = nil,
        group: String? = "premium",
        key: ContractKey = key()
    ) -> Event {
        let signedAt = now + .seconds(60 * minute)
        let snapshot = Snapshot(
            state: state,
            product: product,
            pendingProduct: pending,
            autoRenew: state != .cancelled,
            accessUntil: now + until,
            signedAt: signedAt
        )
        let observation = Observation(
            contract: key,
            kind: .subscription,
            group: group,
            token: token,
            snapshot: snapshot
        )
        return event(id, kind: .subscriptionRenewed, observation: observation)
    }

    static func purchase(
        _ id: String,
        kind: ProductKind,
        product: String,
        minute: Int64 = 0,
        revoked: Bool = false,
        token: OrderToken? = nil
    ) -> Event {
        let signedAt = now + .seconds(60 * minute)
        let charge = Transaction(
            id: product,
            product: product,
            purchasedAt: now,
            revokedAt: revoked ? signedAt : nil,
            signedAt: signedAt
        )
        return event(
            id,
            kind: .purchaseCompleted,
            observation: Observation(
                contract: key("one-time-\(product)"),
                kind: kind,
                token: token,
                transaction: charge
            )
        )
    }
}

extension [Fragment] {
    /// `target=template` of each fragment.
    var summary: [String] {
        map { fragment in
            guard case .template(let name, _) = fragment.content else { return "\(fragment.target ?? "")=" }
            return "\(fragment.target ?? "")=\(name)"
        }
    }
}
