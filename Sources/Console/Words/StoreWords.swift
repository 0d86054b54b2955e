import API
import APIModel
import Domain
import Stores

/// Names and states as people say them.
enum StoreWords {
    private static let deliveries = ["failed": "given up", "gone": "says that it is gone"]
    private static let transports = ["sse": "Server-Sent Events", "websocket": "WebSocket", "cable": "Action Cable"]

    /// `Apple`; an unknown store by its own word.
    static func store(_ provider: String) -> String { Stores.named(provider)?.name ?? provider }

    /// Where an event comes from: `Apple, Sandbox`. What people of yours do has no environment.
    static func source(_ item: FeedItem) -> String {
        guard let provider = item.provider, provider != Provider.paycast.rawValue else {
            return item.provider.map(store) ?? ""
        }
        return [store(provider), item.environment].compactMap { $0 }.joined(separator: ", ")
    }

    /// A `ContractState` in one or two words: names of bands, and of rows.
    static func state(_ state: String) -> String { ContractState(rawValue: state).map { known($0).words } ?? state }

    /// The tone of a state, beside its word.
    static func tone(_ state: String) -> String { ContractState(rawValue: state).map { known($0).tone } ?? "quiet" }

    private static func known(_ state: ContractState) -> (words: String, tone: String) {
        switch state {
        // For a payment, or, of a rental, for the catalog.
        case .pending: ("waiting", "wait")
        case .active: ("active", "good")
        case .cancelled: ("active, will end", "warn")
        case .inGracePeriod: ("grace period", "warn")
        case .inBillingRetry: ("payment failed", "stop")
        case .paused: ("paused", "quiet")
        case .expired: ("ended", "quiet")
        case .revoked: ("taken back", "stop")
        case .owned: ("owned", "good")
        case .delivered: ("delivered", "good")
        }
    }

    /// The tone of a user's item: a purchase that should give access and does not is no good news.
    static func tone(_ item: ContractItem) -> String {
        let opens = ContractState(rawValue: item.state)?.givesAccess == true
        return opens && !item.active ? "stop" : tone(item.state)
    }

    /// An `Outcome` in a few words.
    static func outcome(_ outcome: String) -> String { Outcome(rawValue: outcome).map { known($0).words } ?? outcome }

    /// The outcome of an event, and its tone. What asks for a refund changes nothing, and is not without effect.
    static func outcome(of item: FeedItem) -> (words: String, tone: String)? {
        guard let outcome = item.outcome else { return nil }
        let isQuestion = item.kind == EventKind.refundRequested.rawValue && outcome == Outcome.ignored.rawValue
        if isQuestion { return ("to be decided", "wait") }
        return Outcome(rawValue: outcome).map(known) ?? (outcome, "quiet")
    }

    private static func known(_ outcome: Outcome) -> (words: String, tone: String) {
        switch outcome {
        case .applied: ("applied", "good")
        case .duplicate: ("sent before", "quiet")
        case .stale: ("out of date", "quiet")
        case .ignored: ("without effect", "quiet")
        case .unclaimed: ("unclaimed", "warn")
        case .quarantined: ("contradicts its order", "stop")
        }
    }

    /// What a store or a staging server is to be told: a `Job.Kind`.
    static func job(_ kind: String) -> String {
        switch Job.Kind(rawValue: kind) {
        case .acknowledge: "acknowledge the purchase"
        case .consume: "let it be bought again"
        case .finish: "finish the transaction"
        case .setToken: "write the order's token to it"
        case .ask: "ask what became of a receipt"
        case .refundRequest: "answer a question about a refund"
        case .consumption: "say what was used of the purchase"
        case .forward: "pass the event on to staging"
        case nil: kind
        }
    }

    /// Why a customer wants money back, in Apple's word
    /// (https://developer.apple.com/documentation/appstoreservernotifications/consumptionrequestreason).
    static func refund(_ reason: String?, _ visit: Visit) -> Markup {
        let words: String? =
            switch reason {
            case "UNINTENDED_PURCHASE": "did not mean to buy it"
            case "FULFILLMENT_ISSUE": "did not get it, or it did not work"
            case "UNSATISFIED_WITH_PURCHASE": "is not satisfied with it"
            case "LEGAL": "a legal reason"
            case "OTHER": "another reason"
            default: reason
            }
        return words.map { visit.named($0, reason) } ?? .empty
    }

    /// What the backend is told: a `HookType`.
    static func message(_ type: String) -> String {
        switch HookType(rawValue: type) {
        case .entitlementsChanged: "what the user may use has changed"
        case .purchaseDelivered: "a consumable was bought"
        case .purchaseRevoked: "a consumable was taken back"
        case .purchaseMade: "somebody was charged"
        case .purchaseRefunded: "a charge was given back"
        case .userErased: "the user was erased"
        case nil: type
        }
    }

    /// How far a message is, or an address that gets them.
    static func delivery(_ state: String) -> String { deliveries[state] ?? state }

    /// How a page is connected.
    static func transport(_ word: String) -> String { transports[word] ?? word }

    /// A purchase that nobody has, with what the word means.
    static let unclaimed = (
        one: "unclaimed purchase (no user is known for it)", many: "unclaimed purchases (no user is known for them)"
    )

    /// `a`, `a and b`, `a, b and c`.
    static func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return "\(items.dropLast().joined(separator: ", ")) and \(last)"
    }

    /// `1 try`, `2 tries`.
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(capped(number)) \(number == 1 ? one : many)"
    }

    /// Nobody counts further than `1,000+`.
    static func capped(_ number: Int) -> String { number > 1000 ? "1,000+" : String(number) }

    /// `9.99 EUR`; nil for no amount.
    static func price(_ thousandths: Int64?, currency: String?) -> String? {
        guard let thousandths, let currency else { return nil }
        return "\(CurrencyAmount.text(thousandths, currency: currency)) \(currency)"
    }
}

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
        case .opens: statement?.entitlements.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") }
        }
    }
}
