import Crypto
import Domain
import TestSupport

@testable import Simulator
@testable import Stores

/// What Google pushes in one random history, and what its API answers at any time: a push that is read late gets the
/// answer of that day.
struct GoogleHistory {
    static let key = Result { try RSAPrivateKey.generate() }

    /// The longest delay of a delivery.
    private static let latest = Duration.seconds(70 * 86_400)

    private enum Source {
        case pushed([UInt8])
        /// Paycast asks Google before it believes that access has ended.
        case asked(token: String, id: String)
    }

    private struct Notice {
        var at: Instant
        var name: String
        var source: Source
    }

    private typealias Answers = [String: [(at: Instant, json: [UInt8])]]

    private let seed: UInt64
    private let store: SimulatedGooglePlay
    private let publicKey: RSAPublicKey?
    private let token: OrderToken
    private var generator: SeededGenerator
    private var facts: SimulatedSubscription
    private var now = AppleFixture.now
    private var answers: Answers = [:]
    private var notices: [Notice] = []
    private var wasPaid = false
    /// A purchase has at most one successor, whose token follows from its own.
    private var hasSuccessor = false

    static func history(seed: UInt64) throws -> History {
        var wire = try GoogleHistory(seed)
        if Int.random(in: 0..<4, using: &wire.generator) == 0 { try wire.buyOnce() } else { try wire.subscribe() }
        return wire.history
    }

    private init(_ seed: UInt64) throws {
        self.seed = seed
        let key = try GoogleHistory.key.get()
        store = SimulatedGooglePlay(key: key)
        let numbers = key.publicNumbers
        publicKey = RSAPublicKey(modulus: numbers.modulus, exponent: numbers.exponent)
        generator = SeededGenerator(seed: seed)
        token = OrderToken.random(using: &generator)
        facts = SimulatedSubscription(product: "paycast.pro.monthly", order: token)
    }

    // MARK: Steps

    private mutating func subscribe() throws {
        try notify(
            one(of: ["SUBSCRIPTION_PURCHASED", "SUBSCRIPTION_PURCHASED/trial", "SUBSCRIPTION_PURCHASED/pending"])
        )
        let count = Int.random(in: 1...10, using: &generator)
        var step = 0
        while let words = next(isLast: step >= count) {
            step += 1
            try notify(words)
            if Int.random(in: 0..<3, using: &generator) == 0 { ask() }
        }
    }

    /// Moves to the next event. An end within the reach of a late delivery does happen, because Google would report it
    /// then.
    private mutating func next(isLast: Bool) -> String? {
        let end = facts.state.givesAccess ? facts.accessUntil : nil
        if isLast {
            guard let end, end <= now + GoogleHistory.latest else { return nil }
            now = max(now, end)
            return "SUBSCRIPTION_EXPIRED"
        }
        let next = now + .seconds(Int64.random(in: 60...1_000_000, using: &generator))
        guard let end, end <= next else {
            now = next
            let words = duringPeriod
            return words.isEmpty ? nil : one(of: words)
        }
        now = max(now, end)
        return one(of: atPeriodEnd)
    }

    private var duringPeriod: [String] {
        let again = hasSuccessor ? [] : ["SUBSCRIPTION_PURCHASED/resubscribe"]
        let changes = hasSuccessor ? [] : ["upgrade", "upgrade", "downgrade"].map { "SUBSCRIPTION_PURCHASED/\($0)" }
        let voids = ["VOIDED_PURCHASE/past", "VOIDED_PURCHASE/partial"]
        return switch facts.state {
        case .pending: ["SUBSCRIPTION_PURCHASED", "SUBSCRIPTION_PENDING_PURCHASE_CANCELED"]
        case .active:
            [
                "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_CANCELED", "SUBSCRIPTION_DEFERRED",
                "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_REVOKED", "SUBSCRIPTION_PRICE_CHANGE_UPDATED", "VOIDED_PURCHASE",
            ] + changes + voids
        case .cancelled: ["SUBSCRIPTION_RESTARTED", "SUBSCRIPTION_REVOKED", "VOIDED_PURCHASE"] + voids
        case .inGracePeriod: ["SUBSCRIPTION_RECOVERED", "SUBSCRIPTION_CANCELED"]
        case .inBillingRetry, .paused: ["SUBSCRIPTION_RECOVERED", "SUBSCRIPTION_EXPIRED/billing"]
        case .expired where !wasPaid: []
        case .expired: ["VOIDED_PURCHASE", "SUBSCRIPTION_REVOKED"] + voids + again
        case .revoked: ["SUBSCRIPTION_EXPIRED"] + again
        case .owned, .delivered: []
        }
    }

    private var atPeriodEnd: [String] {
        switch facts.state {
        case .active:
            [
                "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_IN_GRACE_PERIOD", "SUBSCRIPTION_ON_HOLD",
                "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_EXPIRED/price",
            ]
        case .inGracePeriod: ["SUBSCRIPTION_ON_HOLD", "SUBSCRIPTION_RECOVERED", "SUBSCRIPTION_EXPIRED/billing"]
        default: ["SUBSCRIPTION_EXPIRED"]
        }
    }

    private mutating func buyOnce() throws {
        facts = SimulatedSubscription(product: "paycast.lifetime", kind: .nonConsumable, order: token)
        facts.startedAt = now
        let timelines = [
            ["PURCHASED"], ["PURCHASED/pending", "PURCHASED"], ["PURCHASED/pending", "CANCELED"],
            ["PURCHASED", "VOID/partial"], ["PURCHASED/pending", "PURCHASED", "VOID"],
            ["PURCHASED", "VOID", "PURCHASED/late"],
        ]
        for word in one(of: timelines) {
            now = now + .seconds(Int64.random(in: 60...1_000_000, using: &generator))
            try notify(word.hasPrefix("VOID") ? "VOIDED_PURCHASE" + word.dropFirst(4) : "ONE_TIME_PRODUCT_\(word)")
        }
    }

    private mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    // MARK: Wire

    /// Google changes its answers and pushes. It reports the end of a replaced purchase as well.
    private mutating func notify(_ words: String) throws {
        let old = facts
        let source = try push(words)
        let document = GoogleHistory.event(source, answers: answers, at: now)
        guard let observation = document.observation else { return }
        facts.lineage = observation.contract.lineage
        switch LifecycleEventNames.split(words).type {
        case "SUBSCRIPTION_PURCHASED":
            facts.renewals = 0
            if !words.hasSuffix("/downgrade") { facts.startedAt = now }
        case "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_RECOVERED": facts.renewals += 1
        default: break
        }
        if let snapshot = observation.snapshot {
            facts.state = snapshot.state
            facts.product = snapshot.product
            facts.pendingProduct = snapshot.pendingProduct
            facts.accessUntil = snapshot.accessUntil ?? facts.accessUntil
            facts.autoRenew = snapshot.autoRenew ?? facts.autoRenew
        } else {
            facts.state = observation.transaction?.revokedAt == nil ? .owned : .revoked
        }
        wasPaid = wasPaid || facts.state.givesAccess
        guard observation.previousLineage != nil, observation.contract.lineage != old.lineage else { return }
        hasSuccessor = true
        guard old.state.givesAccess else { return }
        let new = facts
        facts = old
        _ = try push("SUBSCRIPTION_EXPIRED/replaced")
        facts = new
    }

    private mutating func push(_ words: String) throws -> Source {
        let (type, subtype) = LifecycleEventNames.split(words)
        let event = SimulatedEvent(
            type: type,
            subtype: subtype,
            facts: facts,
            user: user.text,
            token: token,
            environment: .production,
            now: now,
            id: "\(seed)-\(notices.count)"
        )
        let delivery = try store.delivery(event)
        try GooglePushToken(delivery.headers[0].1).check(
            (audience: SimulatedGooglePlay.audience, account: SimulatedGooglePlay.pushAccount),
            key: publicKey,
            now: now
        )
        for document in delivery.documents { answers[document.path, default: []].append((now, document.json)) }
        notices.append(Notice(at: now, name: "\(words) of \(facts.lineage)", source: .pushed(delivery.body)))
        return .pushed(delivery.body)
    }

    private mutating func ask() {
        let source = Source.asked(token: facts.lineage, id: "statement:\(seed)-\(notices.count)")
        now = now + .seconds(Int64.random(in: 1...60, using: &generator))
        notices.append(Notice(at: now, name: "statement of \(facts.lineage)", source: source))
    }

    private var user: UserID { "\(seed)-buyer" }

    private var history: History {
        var history = History(seed: seed, policy: .transfer, users: [user], end: now)
        let order = Order(token: token, user: user, product: "paycast.pro.monthly")
        history.deliveries = [HistoryStep(name: "order", at: AppleFixture.now, content: .order(order))]
        let answers = answers
        history.deliveries += notices.map { notice in
            let read = HistoryStep.Content.read { at in GoogleHistory.event(notice.source, answers: answers, at: at) }
            return HistoryStep(name: notice.name, at: notice.at, content: read)
        }
        history.finish()
        return history
    }

    private static func event(_ source: Source, answers: Answers, at now: Instant) -> Event {
        switch source {
        case .pushed(let body):
            let notification = GoogleNotification(body)
            let purchase = purchase(notification.subject, answers: answers, at: now)
            let reading = GoogleReading(purchase: purchase, gap: purchase == nil ? .unknown : nil)
            return notification.event(reading, body: body, now: now)
        case .asked(let token, let id):
            guard let purchase = purchase(.init(token: token, isSubscription: true), answers: answers, at: now) else {
                return GoogleNotification([]).event(GoogleReading(gap: .unknown), body: [], now: now)
            }
            return purchase.statement(body: [], id: id)
        }
    }

    private static func purchase(
        _ subject: GoogleSubject?,
        answers: Answers,
        at now: Instant
    ) -> GooglePurchase? {
        guard let subject else { return nil }
        let package = SimulatedGooglePlay.package
        let path = "/androidpublisher/v3/applications/\(package)/\(subject.path)"
        guard let answer = answers[path]?.last(where: { $0.at <= now }) else { return nil }
        return subject.purchase(
            .init(body: answer.json, readAt: now),
            of: package,
            catalog: TruthLedger.catalog
        )
    }
}
