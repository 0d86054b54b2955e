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
    /// How long a caller waits for the server before the outcome is `kept`.
    static let patience: TimeInterval = 10
    /// Streams that the server has refused: more than a device has users.
    static let rememberedRefusals = 20

    /// Purchases that the user has begun and the store has not answered, by product.
    var attempts: [String: Attempt] = [:]
    /// By the store's id of the transaction.
    var deliveries: [UInt64: Delivery] = [:]
    /// Who waits for the server's word, by transaction id.
    var watchers: [UInt64: [Watcher]] = [:]
    /// What the server has acknowledged last of each, for this user: the Sandbox lists a transaction as unfinished right after it was finished
    /// (https://developer.apple.com/forums/thread/692030), and a call to finish one may hang.
    var settled: [UInt64: Acknowledgement] = [:]
    var book = Book()
    /// What was written last.
    private var saved = Book()
    /// The stream of the user who is logged in.
    var session: SignedStream?
    /// Whether a page, and not the app, has said who that is: then the next page in front may say otherwise.
    var isSessionOfPage = false
    var isLoggedOut = false
    /// Streams that the server has not taken, the newest last: a page that was left open may bring one again.
    var refused: [SignedStream] = []
    /// Who has opened the store's sheet for codes: what it brings names nobody.
    var redemption: Redemption?
    /// Closed by a failure that is the whole server's. While it recovers, one post goes ahead of the others.
    var gate = Backoff()
    /// A post that the server never takes must not hold the others: what fails again closes nothing.
    var closer: UInt64?
    var renewal = StreamRenewal()
    /// Reported once, until the server has answered as it should.
    private var unexpected: Int?
    var appVersion = ""

    /// - Parameter canRenew: Whether there is somebody to ask for a new order when a stream has expired.
    init(canRenew: Bool) {
        renewal.isPossible = canRenew
    }

    /// What is to survive the process is written before it is acted upon.
    mutating func handle(_ event: PurchaseEvent, at moment: Moment) -> [PurchaseAction] {
        let actions =
            respond(to: event, at: moment) + releaseWatchers(at: moment.now) + startRenewal(at: moment.now)
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
        return (posts + watchers.values.joined().map(\.deadline) + renewals).min()
    }

    private mutating func respond(to event: PurchaseEvent, at moment: Moment) -> [PurchaseAction] {
        switch event {
        case .launched(let appVersion, let book): launch(appVersion, book: book)
        case .tapped(let product, let order, let offer, let ticket):
            tap(product, order: order, offer: offer, ticket: ticket, at: moment.now)
        case .ordered(let product, let order): begin(product, order: order, at: moment.now)
        case .orderFailed(let product, let error): failOrder(of: product, with: error)
        case .storeFailed(let product, let token, let error):
            isUnderWay(product, token: token) ? end(product, with: .failure(error)) : []
        case .storeAnswered(let product, let token, let outcome):
            take(outcome, of: product, token: token, at: moment.now)
        case .arrived(let transaction):
            receive(transaction, claim: redeemed(transaction, at: moment.now), at: moment.now)
        case .swept(let transactions): sweep(transactions, at: moment.now)
        case .restored(let transaction, let stream, let ticket):
            restore(transaction, for: stream ?? session, ticket: ticket, at: moment.now)
        case .forged(let product): [.report(.unverified(product: product))]
        case .answered(let version, let answer): settle(version, by: answer, at: moment)
        case .loggedIn(let stream): logIn(stream)
        case .loggedOut: logOut()
        case .pageAppeared(let stream): mayAppear(stream) ? logIn(stream, isByPage: true) : []
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

    private mutating func launch(_ version: String, book: Book) -> [PurchaseAction] {
        appVersion = version
        (self.book, saved) = (book, book)
        gate = book.gate ?? gate
        return [.sweep]
    }

    mutating func reportUnexpected(_ status: Int?) -> [PurchaseAction] {
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

/// A purchase from the tap to the store's answer.
struct Attempt: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        case ordering
        case buying
    }
    var stage: Stage
    /// Who tapped, if that is known.
    var owner: String?
    var order: Order?
    var offer: PurchaseOffer?
    /// Whenever this user tapped meanwhile: all get the one answer.
    var tickets: [Ticket]
    var beganAt: Date
    /// Not after another log-in or a log-out since the tap: that is the newer word on who the user is.
    var mayLogIn = true

    /// A call to the store may never return. Whoever can tap again after a minute sees no sheet over the button.
    static let patience: TimeInterval = 60

    func isStuck(at now: Date) -> Bool { now.timeIntervalSince(beganAt) >= Attempt.patience || now < beganAt }
}

/// A user's tap on buy, restore or redeem. Without a stream, it is for the first who logs in while somebody waits.
struct Claim: Sendable {
    var stream: SignedStream?
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

/// Somebody who waits for what the server says about a transaction.
struct Watcher: Equatable, Sendable {
    var ticket: Ticket
    /// Who began the purchase or the restore, if that is known.
    var owner: String?
    /// What was tapped: of a downgrade, not what the store hands over.
    var product: String
    /// The store handed over what the account had before, so the tap has bought nothing.
    var isOwnedBefore = false
    var deadline: Date

    /// Whether the tap was for this transaction.
    var isAsking: Bool { !isOwnedBefore }

    /// `owner`: whose purchase it is.
    func reply(_ outcome: PurchaseOutcome, owner: String?) -> PurchaseAction {
        let isTheirs = self.owner == nil || owner == nil || self.owner == owner
        return .reply(ticket, .success(isTheirs ? outcome : .ownedByOther))
    }
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
