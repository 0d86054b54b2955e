import Crypto
import Domain
import Providers
import Simulator
import Testing

/// What Google says of one user's purchases, one after the other, by the real rules of a contract.
struct GoogleStory {
    static let start = Instant(milliseconds: 1_767_225_600_000)
    static let key = Result { try RSAPrivateKey.generate() }
    static let package = SimulatedGooglePlay.package

    /// What one notification did.
    struct Step {
        var event: Event
        var state: ContractState?
        var product: String?
        /// `target=fragment` of what the page was told.
        var fragments: [String]
    }

    var now = GoogleStory.start
    var facts: SimulatedSubscription
    var contracts: [ContractKey: Contract] = [:]
    var token = OrderToken.random()
    private let store: SimulatedGooglePlay
    private let catalog: Catalog

    init(
        _ facts: SimulatedSubscription = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "token.1"),
        catalog: Catalog = Catalog()
    ) throws {
        self.facts = facts
        self.catalog = catalog
        store = SimulatedGooglePlay(key: try GoogleStory.key.get())
    }

    /// `type/subtype`, a minute after the last one.
    @discardableResult
    mutating func say(_ words: String, after pause: Duration = .seconds(60)) throws -> Step {
        now = now + pause
        return try take(try event(words))
    }

    /// What is committed for a notification whose purchase is read at once.
    func event(_ words: String) throws -> Event {
        let delivery = try delivery(words)
        let notification = GoogleNotification(delivery.body)
        var reading = GoogleReading.nothing
        if notification.subject != .none, let document = delivery.documents.first?.json {
            reading = purchase(document, of: notification.subject).map { .purchase($0) } ?? .unreadable
        }
        return notification.event(reading, body: delivery.body, now: now)
    }

    func delivery(_ words: String) throws -> SimulatedDelivery {
        let parts = words.split(separator: "/").map(String.init)
        let subtype = parts.count > 1 ? parts[1] : nil
        return try store.delivery(
            SimulatedEvent(type: parts[0], subtype: subtype, facts: facts, user: "42", token: token, now: now)
        )
    }

    func purchase(_ document: [UInt8], of subject: GoogleNotification.Subject) -> GooglePurchase? {
        let package = GoogleStory.package
        return switch subject {
        case .subscription(let token):
            GooglePurchase(subscription: document, token: token, package: package, catalog: catalog, readAt: now)
        case .product(let token):
            GooglePurchase(product: document, token: token, package: package, catalog: catalog, readAt: now)
        case .none: nil
        }
    }

    @discardableResult
    mutating func take(_ event: Event) throws -> Step {
        guard let observation = event.statement else { return Step(event: event, fragments: []) }
        let before = holdings
        let key = observation.contract
        var contract = contracts[key] ?? Contract(key: key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        contracts[key] = contract
        let standing = contract.standing(at: now)
        if let standing { remember(standing, key.lineage) }
        let announcements = Announcement.announcements(before: before, after: holdings, contract: key)
        return Step(
            event: event,
            state: standing?.state,
            product: standing?.product,
            fragments: announcements.map { "\($0.target.rawValue)=\($0.name.rawValue)" }
        )
    }

    var holdings: Holdings {
        let held = contracts.values.compactMap { contract in
            contract.standing(at: now).map { Holding(of: contract, standing: $0) }
        }
        return Holdings(user: "42", held, policy: AccessPolicy(sandboxUsers: .all))
    }

    private mutating func remember(_ standing: Standing, _ lineage: String) {
        facts.lineage = lineage
        facts.state = standing.state
        facts.product = standing.product
        facts.pendingProduct = standing.pendingProduct
        facts.accessUntil = standing.accessUntil
        facts.autoRenew = standing.autoRenew ?? true
    }
}
