import APIModel
import Domain

/// Which fields of an event are shown, for each store under the names that the store itself has for them. What is in no list is
/// not shown, whatever the event says.
enum StoreFields {
    enum Field {
        case type, subtype, event, environment, app, product, next, charge, contract, replaces, order, user, group
        case bought, paidUntil, takenBack, renews, price, family
    }

    typealias List = [(name: String, field: Field)]

    private static let apple: List = [
        ("Notification type", .type), ("Subtype", .subtype), ("Notification UUID", .event),
        ("Environment", .environment), ("Bundle", .app), ("Product", .product), ("Renews as", .next),
        ("Transaction", .charge), ("Original transaction", .contract), ("Migrated from", .replaces),
        ("App account token", .order), ("Subscription group", .group), ("Purchased", .bought),
        ("Expires", .paidUntil), ("Revoked", .takenBack), ("Auto-renew", .renews), ("Price", .price),
        ("Family shared", .family),
    ]
    private static let google: List = [
        ("Notification type", .type), ("State", .subtype), ("Message", .event), ("Package", .app),
        ("Product", .product), ("Deferred replacement", .next), ("Order id", .charge), ("Purchase token", .contract),
        ("Linked purchase token", .replaces), ("Obfuscated account id", .order), ("Started", .bought),
        ("Expires", .paidUntil), ("Cancelled", .takenBack), ("Auto-renewing", .renews), ("Price", .price),
    ]
    private static let stripe: List = [
        ("Event type", .type), ("Event", .event), ("Account", .app), ("Product or price", .product),
        ("Scheduled product", .next), ("Invoice or payment", .charge), ("Subscription or payment", .contract),
        ("Metadata order", .order), ("Period start", .bought), ("Period end", .paidUntil), ("Refunded", .takenBack),
        ("Renews at period end", .renews), ("Amount", .price),
    ]
    private static let revenuecat: List = [
        ("Type", .type), ("Reason or period", .subtype), ("Event", .event), ("Environment", .environment),
        ("App", .app), ("Product", .product), ("New product", .next), ("Transaction", .charge),
        ("Original transaction", .contract), ("App user id", .user), ("Order attribute", .order),
        ("Purchased", .bought), ("Expiration", .paidUntil), ("Refunded", .takenBack), ("Price", .price),
        ("Family share", .family),
    ]
    private static let purchasekit: List = [
        ("Type", .type), ("Store", .subtype), ("Event", .event), ("Subscription", .contract), ("Customer", .user),
        ("Product", .product),
    ]
    private static let grant: List = [
        ("What", .type), ("Grant", .contract), ("Product", .product), ("Group", .group), ("Granted", .bought),
        ("Until", .paidUntil), ("Taken back", .takenBack),
    ]

    private static func list(of provider: String?) -> List {
        switch provider {
        case "apple": apple
        case "google": google
        case "stripe": stripe
        case "revenuecat": revenuecat
        case "purchasekit": purchasekit
        case Provider.paycast.rawValue: grant
        default: []
        }
    }

    /// Names and values of what an event says. `statement` is nil once its words are no longer kept.
    static func facts(of event: FeedItem, _ statement: StatementItem?) -> [(name: String, value: String?)] {
        list(of: event.provider).map { ($0.name, value(of: $0.field, event, statement)) }
    }

    private static func value(of field: Field, _ event: FeedItem, _ statement: StatementItem?) -> String? {
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
