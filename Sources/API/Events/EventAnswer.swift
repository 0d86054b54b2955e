public import APIModel
public import Domain
import HTTP
import Ledger
import Pages
import Support

extension Services {
    /// `GET /events/{id}[?body=true]`: one event, with what made its outcome, and how long its way was.
    func event(_ id: String, _ request: Request) throws(RefusedBody) -> Answer {
        let withBody = try request.query.flag("body")
        if withBody { try authorization.require(.personal, of: request) }
        let cursor = Cursor(id).flatMap { $0.epoch == epoch ? $0 : nil }
        let name = cursor.map { EventName.position($0.position) } ?? .id(id)
        return .later { [self] reply in
            ask({ try $0.event(name) }, for: reply) { [self] found in
                guard let found else { return reply.send(.unknownEvent) }
                guard withBody else { return show(found, withBody: false, to: reply) }
                let act = act(.read, of: request, user: found.event.entry.notice.user)
                reply.send(busyUnless: note(act, reply: reply) { [self] in show(found, withBody: true, to: reply) })
            }
        }
    }

    /// On a worker, because a body has to be read.
    private func show(_ found: EventRecord, withBody: Bool, to reply: Reply) {
        reply.send(
            busyUnless: workers.submit { [self] in
                var record = found
                if withBody { record.event.body = found.stored?.body }
                let event = found.stored.flatMap { try? verifiers.interpret($0) }
                let timing = found.event.entry.notice.eventKey.flatMap { telemetry.timings[$0] }
                let answer = EventAnswer(
                    event: FeedItem(record.event, epoch: epoch),
                    newer: record.newer.map { FeedItem($0, epoch: epoch) },
                    statement: event?.statement.map(StatementItem.init),
                    way: timing.map(EventWay.init)
                )
                reply.send(JSON.response(200, body: answer))
            }
        )
    }
}

extension Response {
    static let unknownEvent = Response.error(
        404,
        code: "unknown_event",
        message: "Nothing has this id: send a store's id of an event, or a cursor of this ledger."
    )
}

extension EventWay {
    /// An event that was there before this node began has been received here, but went no further.
    fileprivate init(_ timing: EventTimings.Timing) {
        let isWhole = timing.committed != nil
        func after(_ end: MonotonicTime?) -> Int64? {
            end.flatMap { isWhole && $0 >= timing.received ? Int64(($0 - timing.received) / 1000) : nil }
        }
        self.init(
            verified: after(timing.verified),
            committed: after(timing.committed),
            rendered: after(timing.rendered),
            firstPage: after(timing.firstPage),
            lastPage: after(timing.lastPage),
            pages: timing.pages,
            duplicates: timing.duplicates
        )
    }
}

/// Answers `GET /events/{id}`.
public struct EventAnswer: Codable, Sendable, Equatable {
    /// In the format of `/feed`, with the store's dates.
    public var event: FeedItem
    /// The event of the same contract that was newer by the store's date, and was there first; null if none was.
    @Nullable public var newer: FeedItem?
    /// What the store said of the contract; null for what says nothing of one, and once the body is no longer kept.
    @Nullable public var statement: StatementItem?
    /// Null unless it is one of the newest 1,000 events that this node has received since its start.
    @Nullable public var way: EventWay?
}

/// What one event of a store says, in the same words for every store. It has no other member of the store's message, so
/// nothing that names the buyer shows by accident.
public struct StatementItem: Codable, Sendable, Equatable {
    /// The store's name for the app.
    public var app: String
    /// A `ProductKind`.
    public var kind: String
    /// The product's group; null if it has none.
    @Nullable public var group: String?
    /// The order's token, if the store echoed it: a UUID.
    @Nullable public var order: String?
    /// The app's user, if the store names one; most only echo the order's token.
    @Nullable public var user: UserID?
    /// The store's own name for the buyer.
    @Nullable public var account: String?
    /// The lineage id of the contract that this one replaces.
    @Nullable public var replaces: String?
    /// Whether it is shared through the store's family.
    public var family: Bool
    /// The names of the entitlements that the store itself says it opens; null if it says nothing of that, as most stores.
    @Nullable public var entitlements: [String]?
    /// Whether it tells of a free trial.
    public var trial: Bool
    /// A `ContractState`; null if the store only tells of a charge.
    @Nullable public var state: String?
    @Nullable public var product: String?
    /// The product of the next period, if it changes.
    @Nullable public var pendingProduct: String?
    @Nullable public var autoRenew: Bool?
    /// The end of the paid period or of the grace period: ISO 8601, UTC.
    @Nullable public var accessUntil: String?
    /// The charge by the store's id; null if the event tells of none.
    @Nullable public var transaction: String?
    @Nullable public var purchasedAt: String?
    @Nullable public var expiresAt: String?
    @Nullable public var revokedAt: String?
    /// The amount, in thousandths of the currency's unit: 9990 is 9.99.
    @Nullable public var price: Int64?
    /// ISO 4217.
    @Nullable public var currency: String?

    init(_ observation: Observation) {
        let (snapshot, charge) = (observation.snapshot, observation.transaction)
        app = observation.contract.app
        kind = observation.kind.rawValue
        family = observation.isFamilyShared
        trial = snapshot?.isTrial ?? charge?.isTrial ?? false
        group = observation.group
        order = observation.token?.description
        user = observation.user
        account = observation.account
        replaces = observation.previousLineage
        entitlements = observation.entitlements
        state = snapshot?.state.rawValue
        product = snapshot?.product ?? charge?.product
        pendingProduct = snapshot?.pendingProduct
        autoRenew = snapshot?.autoRenew
        accessUntil = snapshot?.accessUntil?.iso8601
        transaction = charge?.id
        purchasedAt = charge?.purchasedAt.iso8601
        expiresAt = charge?.expiresAt?.iso8601
        revokedAt = charge?.revokedAt?.iso8601
        price = charge?.price
        currency = charge?.currency
    }
}

/// An event's way through the node that received it: microseconds after its first byte; null for a stage that did not
/// take place.
public struct EventWay: Codable, Sendable, Equatable {
    @Nullable public var verified: Int64?
    @Nullable public var committed: Int64?
    @Nullable public var rendered: Int64?
    /// When the first and the last loop of this node had written it to their pages' sockets.
    @Nullable public var firstPage: Int64?
    @Nullable public var lastPage: Int64?
    /// The open pages that got it at once.
    public var pages: Int
    /// How often the store has sent it again.
    public var duplicates: Int
}
