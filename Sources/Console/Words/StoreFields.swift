import APIModel
import Domain
import Stores

/// What the console shows of an event: the fields that its store lists, under the store's names.
enum StoreFields {
    /// Names and values of what an event says. `statement` is nil once its words are no longer kept.
    static func facts(of event: FeedItem, _ statement: StatementItem?) -> [(name: String, value: String?)] {
        let fields = event.provider.flatMap(Stores.named)?.fields ?? [:]
        return fields.map { ($0.key, value(of: $0.value, event, statement)) }
    }

    private static func value(of field: EventField, _ event: FeedItem, _ statement: StatementItem?) -> String? {
        switch field {
        case .type: event.type
        case .subtype: event.subtype
        case .event: event.event
        case .environment: event.environment
        case .app: statement?.app
        case .product: statement?.product ?? event.product
        case .next: statement?.pendingProduct
        case .charge: statement?.transaction
        case .contract: event.contract
        case .replaces: statement?.replaces
        case .order: statement?.order
        case .user: statement?.user?.text
        case .group: statement?.group
        case .bought: EventStory.date(statement?.purchasedAt)
        case .paidUntil: EventStory.date(statement?.expiresAt)
        case .takenBack: EventStory.date(statement?.revokedAt)
        case .renews: statement?.autoRenew.map { $0 ? "yes" : "no" }
        case .price: StoreWords.price(statement?.price, currency: statement?.currency)
        case .family: statement?.family == true ? "yes" : nil
        }
    }
}
