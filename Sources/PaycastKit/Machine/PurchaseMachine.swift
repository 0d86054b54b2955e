internal import Foundation

/// The life of every purchase, as a value: `(state, event) → (state, actions)`. It knows no store, no disk and no network.
///
///     idle → ordering → buying → (cancelled | failed | pending | bought) → posted → acknowledged → finished
///
/// Two rules are above all others. A transaction is finished only when the server has answered 200 or 409 to its newest
/// version. And whatever has failed is tried again after its back-off, not before.
struct PurchaseMachine: Sendable {
    /// Posts under way at once: an app with a hundred unfinished consumables does not open a hundred connections.
    static let parallelPosts = 4

    /// Purchases that the user has begun and the store has not answered, by product.
    var attempts: [String: Attempt] = [:]
    /// By the store's id of the transaction.
    var deliveries: [UInt64: Delivery] = [:]
    /// What the server has acknowledged of each: the Sandbox lists a transaction as unfinished right after it was finished
    /// (https://developer.apple.com/forums/thread/692030), and a call to finish one may hang.
    var settled: [UInt64: TransactionVersion] = [:]
    var book = Book()
    /// What was written last.
    private var saved = Book()
    /// The stream of the user who is logged in.
    var session: SignedStream?
    /// Whether a page, and not the app, has said who that is: then the next page in front may say otherwise.
    var isSessionOfPage = false
    var isLoggedOut = false
    /// The last stream of each owner that the server has not taken: a page that was left open may bring it again.
    var refused: [String: SignedStream] = [:]
    /// Who has opened the store's sheet for codes: what it brings names nobody.
    var redemption: Redemption?
    /// Closed by a failure that is the whole server's. While it recovers, one post goes ahead of the others.
    var gate = Backoff()
    /// A post that the server never takes must not hold the others: what fails again closes nothing.
    var closer: UInt64?
    var renewal = StreamRenewal()
    /// Reported once, until the server has answered as it should.
    private var unexpected: Int?

    /// - Parameter canRenew: Whether there is somebody to ask for a new order when a stream has expired.
    init(canRenew: Bool) {
        renewal.isPossible = canRenew
    }

    /// What is to survive the process is written before it is acted upon.
    mutating func handle(_ event: PurchaseEvent, at moment: Moment) -> [PurchaseAction] {
        let actions =
            respond(to: event, at: moment) + releaseTaps(at: moment.now) + startRenewal(at: moment.now)
            + startPosts(at: moment.now)
        book.note(deliveries.values, gate: gate)
        guard book != saved else { return actions }
        saved = book
        return [.save(book)] + actions
    }

    /// When something happens without an event. Nil if the machine only waits for events.
    func nextWake(after now: Date) -> Date? {
        let posts = deliveries.values.filter(isPostable)
            .compactMap { [$0.memo.backoff, gate].filter { !$0.isDue(at: now) }.compactMap(\.due).max() }
        let renewals = needsRenewal && !renewal.backoff.isDue(at: now) ? [renewal.backoff.due].compactMap(\.self) : []
        return (posts + deliveries.values.flatMap(\.taps).map(\.deadline) + renewals).min()
    }

    private mutating func respond(to event: PurchaseEvent, at moment: Moment) -> [PurchaseAction] {
        switch event {
        case .launched(let book): launch(book)
        case .tapped(let product, let order, let offer, let ticket):
            tap(product, order: order, offer: offer, ticket: ticket, at: moment.now)
        case .ordered(let product, .success(let order)): begin(product, order: order, at: moment.now)
        case .ordered(let product, .failure(let error)): failOrder(of: product, with: error)
        case .storeFailed(let product, let token, let error):
            isUnderWay(product, token: token) ? end(product, with: .failure(error)) : []
        case .storeAnswered(let product, let token, let outcome):
            take(outcome, of: product, token: token, at: moment.now)
        case .arrived(let transaction):
            receive(transaction, by: redeemed(transaction, at: moment.now), at: moment.now)
        case .swept(let transactions): sweep(transactions, at: moment.now)
        case .restored(let transaction, let stream, let ticket):
            receive(
                transaction,
                by: Tap(stream: stream ?? session, product: transaction.product, tickets: [ticket], since: moment.now),
                at: moment.now
            )
        case .forged(let product): [.report(.unverified(product: product))]
        case .answered(let version, let answer): settle(version, by: answer, at: moment)
        case .loggedIn(let stream): logIn(stream)
        case .loggedOut: logOut()
        // The page in front says who is meant, unless the app has.
        case .pageAppeared(let stream):
            mayLogIn(stream) || (isSessionOfPage && !isLoggedOut) ? logIn(stream, isByPage: true) : []
        case .pageActed(let stream): logIn(stream, isByPage: true)
        case .redeeming: redeem(at: moment.now)
        case .redeemed: endRedeeming(at: moment.now)
        case .renewed(let stream, let isUnreached): renew(stream, isUnreached: isUnreached, at: moment)
        case .streamRefused(let stream, let code, let product): refuse(stream, code: code, product: product)
        case .entitlementsAnswered(let unexpected): reportUnexpected(unexpected)
        case .resumed: resume()
        case .woke: []
        }
    }

    private mutating func launch(_ book: Book) -> [PurchaseAction] {
        (self.book, saved) = (book, book)
        gate = book.gate ?? gate
        return [.sweep]
    }

    /// Nil once the server has taken a stream.
    mutating func reportUnexpected(_ status: Int?) -> [PurchaseAction] {
        if status == nil { renewal.backoff.reset() }
        defer { unexpected = status }
        return status.flatMap { $0 == unexpected ? nil : [.report(.unexpectedAnswer(status: $0))] } ?? []
    }

    private mutating func resume() -> [PurchaseAction] {
        gate.hasten()
        renewal.backoff.hasten()
        for id in deliveries.keys { deliveries[id]?.memo.backoff.hasten() }
        return [.sweep, .refreshEntitlements]
    }
}

/// Time and chance, which pure rules are given.
struct Moment: Sendable {
    var now: Date
    /// From 0 up to 1.
    var chance: Double
}

/// The store's sheet for codes is open, or was just now: the first purchase without a token that comes is what it brought.
struct Redemption: Equatable, Sendable {
    /// Of a sheet that never tells that it is closed.
    static let patience: TimeInterval = 600
    /// From the closed sheet to the transaction.
    static let grace: TimeInterval = 30

    var stream: SignedStream
    var until: Date
}

/// Asks for a new order because the stream of the last one does not count any more; one request at a time.
struct StreamRenewal: Sendable {
    var isPossible = false
    var isUnderWay = false
    /// Nobody could be asked the last time, which a connection may cure.
    var isUnreached = false
    /// Asked for because the entitlements cannot be read, by an order for this product.
    var product: String?
    var backoff = Backoff()
}
