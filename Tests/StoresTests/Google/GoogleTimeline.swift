import Crypto
import Domain
import Testing

@testable import Simulator
@testable import Stores

/// What Google says of one user's purchases, one after the other, by the real rules of a contract.
struct GoogleTimeline: StoreTimeline {
    static let start = Instant(milliseconds: 1_767_225_600_000)
    static let key = Result { try RSAPrivateKey.generate() }
    static let package = SimulatedGooglePlay.package

    var now = GoogleTimeline.start
    var facts: SimulatedSubscription
    var contractTimeline = ContractTimeline()
    var token = OrderToken.random()
    private let store: SimulatedGooglePlay
    private let catalog: Catalog

    init(
        _ facts: SimulatedSubscription = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "token.1"),
        catalog: Catalog = Catalog()
    ) throws {
        self.facts = facts
        self.catalog = catalog
        store = SimulatedGooglePlay(key: try GoogleTimeline.key.get())
    }

    /// What is committed for a notification whose purchase is read at once.
    func event(_ words: String) throws -> Event {
        let delivery = try delivery(words)
        let notification = GoogleNotification(delivery.body)
        var reading = GoogleReading()
        if let subject = notification.subject, let document = delivery.documents.first?.json {
            reading.purchase = purchase(document, of: subject)
            if reading.purchase == nil { reading.gap = .unreadable }
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

    func purchase(_ document: [UInt8], of subject: GoogleSubject) -> GooglePurchase? {
        subject.purchase(.init(body: document, readAt: now), of: GoogleTimeline.package, catalog: catalog)
    }

    @discardableResult
    mutating func take(_ event: Event) throws -> ContractTimeline.Step {
        let (step, status) = contractTimeline.take(event, at: now)
        if let status, let lineage = event.observation?.contract.lineage {
            facts.lineage = lineage
            facts.remember(status)
        }
        return step
    }
}
