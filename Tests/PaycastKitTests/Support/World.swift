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

    struct Tap: Hashable {
        var transaction: UInt64
        var owner: String
    }

    var random: SplitMix
    /// The server moves what is another user's to whoever asks for it.
    var isTransferring = false
    /// Some calls to the store never return.
    var isStoreReliable = false
    var now = Fixture.start
    var machine = PurchaseMachine(canRenew: true)
    var disk = Book()
    /// Unfinished transactions of the store.
    var store: [UInt64: SignedTransaction] = [:]
    /// All that it has ever signed.
    var signed: [UInt64: SignedTransaction] = [:]
    var lastID: UInt64 = 0
    var owners: [UUID: String] = [:]
    var server = Server.up
    /// What a proxy never lets through, whoever posts it.
    var poisoned: Set<UInt64> = []
    /// What the server has asked of all posts, by the answer to which one.
    var closed: (id: UInt64, from: Date, until: Date)?
    /// The streams with an older signing have expired.
    var signing = 1
    var user: String?
    /// What came back from outside and waits to be handled.
    var pending: [PurchaseEvent] = []
    var posts: [Delivery.Post] = []
    /// Who has which, as the server knows it.
    var holders: [UInt64: String] = [:]
    /// Who has tapped for which.
    var taps: Set<Tap> = []
    var placed: [UUID] = []
    /// Where the process dies: a countdown of actions.
    var fuse: Int?

    /// Versions whose 200 or 409 has reached the app.
    var acknowledged: Set<TransactionVersion> = []
    var failures: [UInt64: Failure] = [:]
    var finished: Set<UInt64> = []
    var violations: [String] = []

    init(seed: UInt64) {
        random = SplitMix(state: seed)
        isTransferring = Bool.random(using: &random)
        boot()
    }

    mutating func boot() {
        machine = PurchaseMachine(canRenew: true)
        pending = []
        posts = []
        fuse = nil
        // Waits of the machine's own end with the process; what the server asked for is on disk.
        failures = failures.filter { $0.value.isOrdered && disk.memos[$0.key]?.backoff.failedAt == $0.value.at }
        if let (_, from, _) = closed, disk.gate?.failedAt != from { closed = nil }
        send(.launched(disk))
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
        case .order(let product): pending.append(.ordered(product: product, .success(newOrder())))
        case .renewStream: pending.append(.renewed(user.map { Fixture.stream(of: $0, signing: signing) }))
        case .purchase(let product, let order, _):
            if let answer = storeAnswer(product, token: order.token) { pending.append(answer) }
        case .save(let book): disk = book
        case .post(let details): post(details)
        case .finish(let id): finish(id)
        case .sweep: pending.append(.swept(store.values.sorted { $0.id < $1.id }))
        case .reply, .report, .withdraw, .refreshEntitlements, .switchUser: break
        }
    }

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
        default:
            return .storeAnswered(product: product, .bought(sign(product: product, token: token)))
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
        signed[lastID] = transaction
        // Each order was a tap on buy.
        if let user = token.flatMap({ owners[$0] }) {
            taps.insert(Tap(transaction: lastID, owner: "user:\(user):paywall"))
        }
        return transaction
    }
}

/// The two rules, and the server.
extension World {
    private mutating func finish(_ id: UInt64) {
        if !acknowledged.contains(where: { $0.id == id }) { violations.append("finished without an answer: \(id)") }
        if let newest = store[id]?.version, machine.settled[id] != newest, machine.deliveries[id] != nil {
            violations.append("finished before its newest version: \(newest)")
        }
        if !isStoreReliable, Int.random(in: 0..<4, using: &random) == 0 { return }
        store[id] = nil
        finished.insert(id)
    }

    private mutating func post(_ details: Delivery.Post) {
        let (version, owner) = (details.version, details.stream.owner)
        if signed[version.id]?.token == nil, disk.memos[version.id]?.stream?.owner != owner {
            violations.append("posted before it was on disk whose it is: \(version)")
        }
        if let failure = failures[version.id], now < failure.earliest, now >= failure.at {
            violations.append("posted \(failure.earliest.timeIntervalSince(now)) s early: \(version)")
        }
        if let closed, now >= closed.from, now < closed.until {
            violations.append("posted before the server's Retry-After for all: \(version)")
        }
        if details.asked == true, !taps.contains(Tap(transaction: version.id, owner: owner)) {
            violations.append("asked without a tap: \(version)")
        }
        posts.append(details)
    }

    /// The server answers the oldest post.
    mutating func answer() {
        guard !posts.isEmpty else { return }
        let post = posts.removeFirst()
        let answer = serverAnswer(to: post)
        let version = post.version
        if machine.deliveries[version.id]?.post?.version == version { note(answer, of: version.id) }
        switch answer {
        case .committed, .ownedByOther: acknowledged.insert(version)
        case .refused, .unauthorized, .later, .unreachable: break
        }
        note(answer, to: version.id)
        send(.answered(version, answer))
    }

    private mutating func note(_ answer: PostAnswer, of id: UInt64) {
        switch answer {
        case .committed, .ownedByOther, .refused, .unauthorized: closed = nil
        case .later(let delay) where delay.isWholeServer:
            if let seconds = delay.seconds { closed = (id, from: now, until: now + seconds) }
        case .later, .unreachable: break
        }
    }

    private mutating func note(_ answer: PostAnswer, to id: UInt64) {
        switch answer {
        // It is over, or another signing and another process may be believed at once.
        case .committed, .ownedByOther, .refused: return failures[id] = nil
        case .unauthorized, .later, .unreachable: break
        }
        let count = (failures[id]?.count ?? 0) + 1
        var wait = min(Backoff.longest, Double(1 << min(count - 1, 9)))
        var isOrdered = false
        if case .later(let delay) = answer, let seconds = delay.seconds { (wait, isOrdered) = (seconds, true) }
        failures[id] = Failure(at: now, count: count, earliest: now + wait, isOrdered: isOrdered)
    }

    private mutating func serverAnswer(to post: Delivery.Post) -> PostAnswer {
        switch server {
        case .down: return .unreachable
        case .busy: return .later(.init(seconds: 30, isWholeServer: true))
        case .unprocessable: return .later(.init(seconds: nil, isWholeServer: false))
        case .portal: return .later(.init(seconds: nil, isWholeServer: true))
        case .refusing: return .refused(code: "untrusted_chain")
        case .answerLost:
            _ = committed(post)
            return .unreachable
        case .up:
            if poisoned.contains(post.version.id) { return .later(.init(seconds: nil, isWholeServer: true)) }
            return committed(post)
        }
    }

    /// Without a tap, the token's user has it, else whoever had it, else the stream's user. A tap moves it, if the server lets it.
    private mutating func committed(_ post: Delivery.Post) -> PostAnswer {
        guard post.stream.rawValue.hasSuffix("--\(signing)") else { return .unauthorized(code: "expired_stream_name") }
        let (id, poster) = (post.version.id, post.stream.owner)
        let ordered = signed[id]?.token.flatMap { owners[$0] }.map { "user:\($0):paywall" }
        let holder = holders[id] ?? ordered
        if let holder, holder != poster, post.asked == true, !isTransferring { return .ownedByOther }
        if let holder, holder != poster, post.asked == true, !taps.contains(Tap(transaction: id, owner: poster)) {
            violations.append("taken without a tap: \(id)")
        }
        let now = post.asked == true ? poster : holder ?? poster
        holders[id] = now
        return .committed(Commit(outcome: "applied", event: "e", claim: now == poster ? "yours" : "others"))
    }

    /// The user comes back to the app: every wait of the machine's own may be cut to a second.
    mutating func resume() {
        for (id, failure) in failures where !failure.isOrdered {
            failures[id]?.earliest = min(failure.earliest, failure.at + Backoff.first)
        }
        send(.resumed)
    }
}
