import Foundation

@testable import PaycastKit

/// A device, a store and a server around one machine, all in one thread and one value. The process may die before any
/// action; the disk, the store and the server stay.
struct World {
    enum Server: CaseIterable {
        case up, down, busy, unprocessable, refusing, answerLost, portal
    }

    /// What the last failed post of a version allows.
    struct Failure {
        var at: Date
        var count: Int
        var earliest: Date
        var isOrdered: Bool
    }

    var random: SplitMix
    /// Some calls to the store never return.
    var isStoreReliable = false
    var now = Fixture.start
    var machine = PurchaseMachine(canRenew: true)
    var disk: [String: Data] = [:]
    /// Unfinished transactions of the store.
    var store: [UInt64: SignedTransaction] = [:]
    var lastID: UInt64 = 0
    var owners: [UUID: String] = [:]
    var server = Server.up
    /// What a proxy never lets through, whoever posts it.
    var poisoned: Set<UInt64> = []
    /// What the server has asked of all posts, by the answer to which one.
    var closed: (version: TransactionVersion, from: Date, until: Date)?
    /// The streams with an older signing have expired.
    var signing = 1
    var user: String?
    var appVersion = 1
    /// What came back from outside and waits to be handled.
    var pending: [PurchaseEvent] = []
    var posts: [Delivery] = []
    var placed: [UUID] = []
    /// Where the process dies: a countdown of actions.
    var fuse: Int?

    /// Versions whose 200 or 409 has reached the app.
    var acknowledged: Set<TransactionVersion> = []
    var failures: [TransactionVersion: Failure] = [:]
    var finished: Set<UInt64> = []
    var violations: [String] = []

    init(seed: UInt64) {
        random = SplitMix(state: seed)
        boot()
    }

    mutating func boot() {
        machine = PurchaseMachine(canRenew: true)
        pending = []
        posts = []
        fuse = nil
        // Waits of the machine's own end with the process; what the server asked for is on disk.
        failures = failures.filter { $0.value.isOrdered && isStored($0.key, failedAt: $0.value.at) }
        if let (version, from, _) = closed, !isStored(version, failedAt: from) { closed = nil }
        let deliveries = disk.keys.filter { $0 != "orders" }.sorted()
            .compactMap { disk[$0].flatMap { try? Envelope.open($0, as: Delivery.self) } }
        let orders = disk["orders"].flatMap { try? Envelope.open($0, as: [PlacedOrder].self) } ?? []
        send(.launched(appVersion: "\(appVersion)", deliveries: deliveries, orders: orders))
    }

    private func isStored(_ version: TransactionVersion, failedAt date: Date) -> Bool {
        guard let failedAt = (try? stored(version))?.backoff.failedAt else { return false }
        return abs(failedAt.timeIntervalSince(date)) < 0.01
    }

    func stored(_ version: TransactionVersion) throws -> Delivery? {
        try disk["\(version.id)-\(version.signedAt)"].map { try Envelope.open($0, as: Delivery.self) }
    }

    mutating func send(_ event: PurchaseEvent) {
        let before = machine
        let actions = machine.handle(event, at: Moment(now: now, chance: Double.random(in: 0..<1, using: &random)))
        for action in actions {
            if let left = fuse {
                guard left > 0 else { return boot() }
                fuse = left - 1
            }
            perform(action, before: before)
        }
    }

    private mutating func perform(_ action: PurchaseAction, before: PurchaseMachine) {
        switch action {
        case .order(let product): pending.append(.ordered(product: product, newOrder()))
        case .renewStream: pending.append(.renewed(user.map { Fixture.stream(of: $0, signing: signing) }))
        case .purchase(let product, let token, _):
            if let answer = storeAnswer(product, token: token) { pending.append(answer) }
        case .keep(let delivery): disk[key(delivery.version)] = try? Envelope.seal(delivery)
        case .drop(let version):
            disk[key(version)] = nil
        case .saveOrders(let orders): disk["orders"] = try? Envelope.seal(orders)
        case .post(let delivery): post(delivery)
        case .finish(let acknowledgement): finish(acknowledgement)
        case .sweep: pending += store.values.sorted { $0.id < $1.id }.map { .arrived($0) }
        case .reply, .report, .withdraw, .refreshEntitlements, .switchUser: break
        }
    }

    private func key(_ version: TransactionVersion) -> String { "\(version.id)-\(version.signedAt)" }

    private mutating func storeAnswer(_ product: String, token: UUID) -> PurchaseEvent? {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .storeAnswered(product: product, .cancelled)
        case 1: return .storeAnswered(product: product, .unverified)
        case 2: return .storeFailed(product: product, .store("failed"))
        case 3, 4:
            placed.append(token)
            return .storeAnswered(product: product, .pending)
        case 5 where !isStoreReliable:
            _ = sign(product: product, token: token)
            return nil
        default: return .storeAnswered(product: product, .bought(sign(product: product, token: token)))
        }
    }

    mutating func newOrder() -> Order {
        let user = user ?? "ann"
        let token = Fixture.token(owners.count + 1)
        owners[token] = user
        return Order(token: token, stream: Fixture.stream(of: user, signing: signing))
    }

    /// The store signs a new transaction, and keeps it until it is finished.
    mutating func sign(product: String, token: UUID?) -> SignedTransaction {
        lastID += 1
        if Int.random(in: 0..<8, using: &random) == 0 { poisoned.insert(lastID) }
        let transaction = Fixture.transaction(lastID, product: product, token: token)
        store[lastID] = transaction
        return transaction
    }
}

/// The two rules, and the server.
extension World {
    private mutating func finish(_ acknowledgement: Acknowledgement) {
        let version = acknowledgement.version
        if !acknowledged.contains(version) { violations.append("finished without an answer: \(version)") }
        if machine.deliveries.keys.contains(where: { $0.id == version.id && $0 > version }) {
            violations.append("finished before its newest version: \(version)")
        }
        if !isStoreReliable, Int.random(in: 0..<4, using: &random) == 0 { return }
        store[version.id] = nil
        finished.insert(version.id)
        pending.append(.finished(version))
    }

    private mutating func post(_ delivery: Delivery) {
        let version = delivery.version
        if (try? stored(version)) == nil { violations.append("posted before it was on disk: \(version)") }
        if delivery.stream == nil { violations.append("posted for nobody: \(version)") }
        if let failure = failures[version], now < failure.earliest, now >= failure.at {
            violations.append("posted \(failure.earliest.timeIntervalSince(now)) s early: \(version)")
        }
        if let closed, now >= closed.from, now < closed.until {
            violations.append("posted before the server's Retry-After for all: \(version)")
        }
        let token = delivery.transaction.token
        if let token, let owner = owners[token], let stream = delivery.stream, !restored.contains(version.id),
            stream.owner != "user:\(owner):paywall", machine.orders[token] != nil
        {
            violations.append("posted for another user: \(version)")
        }
        posts.append(delivery)
    }

    private var restored: Set<UInt64> { finished }

    /// The server answers the oldest post.
    mutating func answer() {
        guard !posts.isEmpty else { return }
        let delivery = posts.removeFirst()
        let answer = serverAnswer(to: delivery)
        let version = delivery.version
        // A version that a newer one's answer has ended is nothing to the machine any more.
        if machine.deliveries[version]?.isPosting == true { note(answer, of: version) }
        if let acknowledgement = Acknowledgement(of: delivery, answer: answer) {
            acknowledged.insert(acknowledgement.version)
            failures[version] = nil
        } else {
            note(answer, to: version)
        }
        send(.answered(version, answer))
    }

    private mutating func note(_ answer: PostAnswer, of version: TransactionVersion) {
        switch answer {
        case .committed, .ownedByOther, .refused, .unauthorized: closed = nil
        case .later(let delay) where delay.isWholeServer:
            if let seconds = delay.seconds { closed = (version, from: now, until: now + seconds) }
        case .later, .unreachable: break
        }
    }

    private mutating func note(_ answer: PostAnswer, to version: TransactionVersion) {
        let count = (failures[version]?.count ?? 0) + 1
        var wait = min(Backoff.longest, Double(1 << min(count - 1, 9)))
        var isOrdered = false
        if case .later(let delay) = answer, let seconds = delay.seconds { (wait, isOrdered) = (seconds, true) }
        failures[version] = Failure(at: now, count: count, earliest: now + wait, isOrdered: isOrdered)
    }

    private func serverAnswer(to delivery: Delivery) -> PostAnswer {
        switch server {
        case .down, .answerLost: return .unreachable
        case .busy: return .later(.init(seconds: 30, isWholeServer: true))
        case .unprocessable: return .later(.init(seconds: nil, isWholeServer: false))
        case .portal: return .later(.init(seconds: nil, isWholeServer: true))
        case .refusing: return .refused(code: "untrusted_chain")
        case .up:
            if poisoned.contains(delivery.version.id) { return .later(.init(seconds: nil, isWholeServer: true)) }
            guard delivery.stream?.text.hasSuffix("--\(signing)") == true else {
                return .unauthorized(code: "expired_stream_name")
            }
            let owner = delivery.transaction.token.flatMap { owners[$0] }.map { "user:\($0):paywall" }
            return owner == nil || owner == delivery.owner ? .committed(Fixture.commit) : .ownedByOther
        }
    }

    /// The user comes back to the app: every wait of the machine's own may be cut to a second.
    mutating func resume() {
        for (version, failure) in failures where !failure.isOrdered {
            failures[version]?.earliest = min(failure.earliest, failure.at + Backoff.first)
        }
        send(.resumed)
    }
}
