import API
import APIModel
import Domain
import Encoding
import Pages

/// Where a purchase may be that the user has paid for and does not have: unclaimed, or in a webhook that was refused.
struct PurchaseHints {
    private let visit: Visit
    private let facts: UserFacts

    /// A store's clock and this one.
    private static let leeway = Duration.seconds(60)

    init(_ visit: Visit, _ facts: UserFacts) {
        self.visit = visit
        self.facts = facts
    }

    /// Nothing where it could tempt somebody to claim what is another's: for who has access, or lost it by a move, a refund
    /// or an end. With an open order, only what fits it.
    func markup() -> Markup {
        let open = facts.record.orders.filter { $0.state == "open" }
        guard !facts.record.active, !open.isEmpty || isUnnamed, visit.may(.operate),
            let attention = try? visit.api.get(AttentionAnswer.self, from: .attention)
        else { return .empty }
        guard open.isEmpty else { return fitting(open, attention.unclaimed) + refused(open, attention.refused) }
        return newest(attention)
    }

    /// Whether no store has ever named the user.
    private var isUnnamed: Bool {
        facts.record.contracts.isEmpty && facts.record.orders.isEmpty
            && facts.events.events.allSatisfy { $0.provider == nil || $0.provider == Provider.paycast.rawValue }
    }

    private func newest(_ attention: AttentionAnswer) -> Markup {
        guard attention.unclaimedContracts > 0, let newest = attention.unclaimed.first else { return .empty }
        let (one, many) = (StoreWords.unclaimed.one + ", of", StoreWords.unclaimed.many + ", the newest of")
        return visit["user.unclaimed"].render([
            "text": StoreWords.count(attention.unclaimedContracts, one, many), "at": visit.time(newest.at),
            "user": Field(PercentEncoding.encode(facts.record.user.text)), "compare": visit["user.compare"].render(),
        ])
    }

    private func fitting(_ orders: [OrderItem], _ purchases: [FeedItem]) -> Markup {
        let alike = purchases.filter { purchase in orders.contains { $0.isAlike(purchase) } }
        let answers = visit.api.answers(about: alike)
        let rows = alike.compactMap { purchase -> Markup? in
            let answer = answers[purchase.cursor]
            // By the store's own date, if its words are still kept.
            let date = answer?.statement?.purchasedAt ?? answer?.event.occurredAt ?? purchase.at
            guard let instant = Instant(iso8601: date),
                let order = orders.first(where: {
                    $0.isAlike(purchase) && $0.isMade(before: instant + PurchaseHints.leeway)
                })
            else { return nil }
            return visit["user.fitting"].render([
                "id": Field(PercentEncoding.encode(purchase.cursor)), "product": order.product,
                "store": StoreWords.source(purchase), "at": visit.time(date), "order": order.order,
            ])
        }
        return rows.isEmpty ? .empty : rows.joined() + visit["user.compare"].render()
    }

    private func refused(_ orders: [OrderItem], _ refused: [AttentionAnswer.Refused]) -> Markup {
        let found = refused.filter { refusal in
            guard let at = Instant(iso8601: refusal.at) else { return false }
            return orders.contains { order in
                order.isMade(before: at) && order.provider.map { refusal.route == "/webhooks/\($0)" } ?? true
            }
        }
        guard let oldest = found.last else { return .empty }
        let stores = Set(found.map { StoreWords.store(String($0.route.split(separator: "/").last ?? "")) })
        let of = stores.sorted().joined(separator: ", ")
        return visit["user.refused"].render([
            "text": StoreWords.count(found.count, "webhook of \(of) was", "webhooks of \(of) were"),
            "at": visit.time(oldest.at),
        ])
    }
}

extension OrderItem {
    /// The same product, of a store that the order allows.
    fileprivate func isAlike(_ purchase: FeedItem) -> Bool {
        (provider == nil || provider == purchase.provider) && purchase.product?.hasSameBytes(as: product) == true
    }

    fileprivate func isMade(before instant: Instant) -> Bool {
        Instant(iso8601: createdAt).map { $0 <= instant } ?? false
    }
}
