internal import Foundation

/// Does what the machine decides, one event after the other. Everything slow runs beside it and comes back as an event, so
/// that a slow post never holds the next transaction.
actor PurchaseEngine {
    /// Everything outside the machine.
    struct Parts: Sendable {
        var store: any Store
        var server: PaycastServer
        var disk: Disk
        var orders: (any OrderSource)?
        var time: any Timekeeper = SystemTime()
        /// From 0 up to 1: spreads the retries of many apps.
        var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// Called before each action. Tests end the process there.
        var willPerform: (@Sendable (PurchaseAction) -> Void)?
    }

    /// How long an order may take.
    static let patience: TimeInterval = 30

    nonisolated let problems: AsyncStream<Problem>
    nonisolated let feed: EntitlementFeed
    private nonisolated let reported: AsyncStream<Problem>.Continuation
    private nonisolated let events: AsyncStream<Item>
    private nonisolated let inbox: AsyncStream<Item>.Continuation

    private typealias Reply = (
        product: String?, continuation: CheckedContinuation<Result<PurchaseOutcome, PurchaseError>, Never>
    )

    private enum Item: Sendable {
        case event(PurchaseEvent)
        case question(@Sendable (PurchaseMachine) -> Void)
    }

    private let parts: Parts
    private var machine: PurchaseMachine
    private var replies: [Ticket: Reply] = [:]
    /// Whose buyers are about to be told.
    private var settling: [Ticket: (owner: String, purchase: OpenPurchase)] = [:]
    private var subscribers: [UUID: AsyncStream<[OpenPurchase]>.Continuation] = [:]
    /// Of all users, when the subscribers were told last.
    private var told: (owner: String?, open: [String: [OpenPurchase]]) = (nil, [:])
    private var lastTicket = 0
    /// Of the process before.
    private var lastOwner: String?
    private var alarm: Task<Void, Never>?
    private var isStarted = false
    /// Whether the start of the process could not read the book.
    private var isUnread = false

    init(_ parts: Parts) {
        self.parts = parts
        machine = PurchaseMachine(canRenew: parts.orders != nil)
        (problems, reported) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100))
        let (events, inbox) = AsyncStream<Item>.makeStream()
        (self.events, self.inbox) = (events, inbox)
        feed = EntitlementFeed(parts) { inbox.yield(.event($0)) }
    }

    nonisolated func send(_ event: PurchaseEvent) {
        inbox.yield(.event(event))
    }

    /// Answered when everything that was sent before is done. Nil after `stop`.
    nonisolated func ask<Value: Sendable>(_ body: @escaping @Sendable (PurchaseMachine) -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let result = inbox.yield(.question { continuation.resume(returning: body($0)) })
            if case .terminated = result { continuation.resume(returning: nil) }
        }
    }

    /// Reads the disk, then handles events until `stop`. Does nothing the second time.
    func run() async {
        guard !isStarted else { return }
        isStarted = true
        let listeners = [Task { await hearStore() }, Task { await hearSystem() }]
        await launch()
        for await item in events {
            switch item {
            case .event(let event): await handle(event)
            case .question(let answer): answer(machine)
            }
        }
        for listener in listeners { listener.cancel() }
    }

    private nonisolated func hearStore() async {
        for await update in parts.store.updates() {
            switch update {
            case .signed(let transaction): send(.arrived(transaction))
            case .unverified(let product): send(.forged(product: product))
            }
        }
    }

    private nonisolated func hearSystem() async {
        for await event in SystemEvent.all() {
            await feed.hear(event)
            if event != .leftFront { send(.resumed) }
        }
    }

    nonisolated func stop() {
        inbox.finish()
        reported.finish()
        Task { await feed.stop() }
    }

    func wait(
        of product: String? = nil,
        for event: @Sendable (Ticket) -> PurchaseEvent
    ) async -> Result<PurchaseOutcome, PurchaseError> {
        lastTicket += 1
        let ticket = Ticket(number: lastTicket)
        let result = await withCheckedContinuation { continuation in
            replies[ticket] = (product, continuation)
            send(event(ticket))
        }
        guard case .success(let outcome) = result, outcome.isTheirs else { return result }
        await feed.settle()
        settling[ticket] = nil
        publish()
        guard case .granted(let grant) = outcome, await feed.hasLapsed(grant.product) else { return result }
        return .success(.recorded(outcome: grant.outcome))
    }

    /// What a page asks for when it appears: the one of a stream, or of whom the app has logged in.
    func summary(for page: SignedStream?) async -> (entitlements: EntitlementState, open: [OpenPurchase], kept: Int) {
        guard let owner = (page ?? machine.appSession)?.owner else { return (.unknown, [], 0) }
        let kept = machine.deliveries.values.count { $0.memo.stream?.owner == owner }
        return (await feed.state(of: owner), open[owner] ?? [], kept)
    }

    /// What the users of this device have begun, and what is about to be told, by their owner.
    private var open: [String: [OpenPurchase]] {
        var open = machine.openPurchases(at: parts.time.now)
        for (owner, purchase) in settling.values { open[owner, default: []].append(purchase) }
        return open
    }

    /// The present ones at once, then those after each change of anybody's.
    nonisolated func openPurchases() -> AsyncStream<[OpenPurchase]> {
        let (purchases, continuation) = AsyncStream<[OpenPurchase]>.makeStream(bufferingPolicy: .bufferingNewest(1))
        Task { await subscribe(continuation) }
        return purchases
    }

    private func subscribe(_ continuation: AsyncStream<[OpenPurchase]>.Continuation) {
        let id = UUID()
        subscribers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { [weak self] in await self?.unsubscribe(id) } }
        continuation.yield(owner.flatMap { open[$0] } ?? [])
    }

    private func unsubscribe(_ id: UUID) { subscribers[id] = nil }

    /// Until somebody logs in, the user of the process before.
    private var owner: String? { machine.session?.owner ?? (machine.isLoggedOut ? nil : lastOwner) }

    private func publish() {
        let (owner, open) = (owner, open)
        guard told != (owner, open) else { return }
        told = (owner, open)
        for subscriber in subscribers.values { subscriber.yield(owner.flatMap { open[$0] } ?? []) }
    }

    private func launch() async {
        var book = Book()
        do {
            book = try parts.disk.book ?? book
        } catch {
            isUnread = true
            reported.yield(.disk(String(describing: error)))
        }
        let entitlements = try? parts.disk.entitlements
        lastOwner = entitlements?.owner
        await feed.restore(entitlements)
        await handle(.launched(book))
    }

    private func handle(_ event: PurchaseEvent) async {
        let moment = Moment(now: parts.time.now, chance: parts.chance())
        let actions = machine.handle(event, at: moment)
        // What the server has just taken counts until it has told what that opens, so the feed knows of it before it asks.
        if case .answered(let version, .committed(let commit)) = event, commit.isGranted {
            await prove(at: moment.now, taken: version.id)
        }
        for action in actions {
            parts.willPerform?(action)
            await perform(action)
        }
        setAlarm(after: moment.now)
        await prove(at: moment.now)
        publish()
    }

    private func prove(at now: Date, taken id: UInt64? = nil) async {
        guard let owner else { return }
        await feed.prove(machine.proven(to: owner, at: now), taken: id, to: owner)
    }

    /// The feed is awaited only until it has noted the request, so that it hears of users in the right order.
    private func perform(_ action: PurchaseAction) async {
        switch action {
        case .save(let book): save(book)
        case .reply(let ticket, let result): reply(ticket, result)
        case .report(let problem): reported.yield(problem)
        case .order(let product): order(product) { .ordered(product: product, $0) }
        case .purchase(let product, let order, let offer): purchase(product, order: order, offer: offer)
        case .renewStream(let product):
            order(product) { .renewed((try? $0.get())?.stream, isUnreached: $0 == .failure(.offline)) }
        case .post(let post): self.post(post)
        case .finish(let id): Task { await parts.store.finish(id) }
        case .sweep: sweep()
        case .withdraw(let lost): await feed.withdraw(lost.product, isFamilyShared: lost.isFamilyShared)
        case .refreshEntitlements: await feed.refresh()
        case .switchUser(let stream): await feed.use(stream)
        }
    }

    /// What is theirs stays open until whoever waits has heard what it opens.
    private func reply(_ ticket: Ticket, _ result: Result<PurchaseOutcome, PurchaseError>) {
        guard let (product, continuation) = replies.removeValue(forKey: ticket) else { return }
        if case .success(let outcome) = result, outcome.isTheirs, let product, let owner = machine.session?.owner {
            settling[ticket] = (owner, OpenPurchase(product: product, status: .buying))
        }
        continuation.resume(returning: result)
    }

    /// Orders that could not be read belong to purchases that may still come.
    private func save(_ book: Book) {
        do {
            let earlier = isUnread ? try parts.disk.book : nil
            isUnread = false
            try parts.disk.save(earlier.map { book.after($0) } ?? book)
        } catch {
            reported.yield(.disk(String(describing: error)))
        }
    }

    /// `now` is the machine's last moment: what has become due since, while a slow disk wrote, is due at once and not never.
    private func setAlarm(after now: Date) {
        alarm?.cancel()
        alarm = machine.nextWake(after: now).map { parts.time.alarm(at: $0) { self.send(.woke) } }
    }
}

/// What runs beside the engine.
extension PurchaseEngine {
    /// A source that never answers is no answer, after a time. One that comes later still counts if somebody waits for it.
    private nonisolated func order(
        _ product: String,
        as event: @escaping @Sendable (Result<Order, PurchaseError>) -> PurchaseEvent
    ) {
        guard let orders = parts.orders else { return send(event(.failure(.noOrder))) }
        let limit = parts.time.alarm(at: parts.time.now.addingTimeInterval(PurchaseEngine.patience)) {
            self.send(event(.failure(.offline)))
        }
        Task {
            var answer: Result<Order, PurchaseError>
            do {
                answer = .success(try await orders.order(for: product))
            } catch let error as PurchaseError {
                answer = .failure(error)
            } catch {
                // What is no lack of a connection is not told as one: an answer that cannot be read stays so.
                answer = .failure(error is URLError ? .offline : .orderRefused(code: "order_failed"))
            }
            limit.cancel()
            send(event(answer))
        }
    }

    private nonisolated func purchase(_ product: String, order: Order, offer: PurchaseOffer?) {
        Task {
            // A store that sells nothing twice hands over what the account has.
            let owned = await parts.store.owned().map(\.id)
            do throws(PurchaseError) {
                var outcome = try await sell(product, order: order, offer: offer)
                if case .bought(let transaction) = outcome, owned.contains(transaction.id) {
                    outcome = .owned(transaction)
                }
                send(.storeAnswered(product: product, token: order.token, outcome))
            } catch {
                send(.storeFailed(product: product, token: order.token, error))
            }
        }
    }

    /// What the store does not know by its name, the server may sign.
    private nonisolated func sell(
        _ product: String,
        order: Order,
        offer: PurchaseOffer?
    ) async throws(PurchaseError) -> StoreOutcome {
        do throws(PurchaseError) {
            return try await parts.store.purchase(product, token: order.token, offer: offer)
        } catch .unknownOffer {
            guard case .named(let id)? = offer, let stream = order.stream else { throw .unknownOffer }
            let jws = try await parts.server.signature(of: id, product: product, stream: stream)
            return try await parts.store.purchase(product, token: order.token, offer: .promotional(id: id, jws: jws))
        }
    }

    private nonisolated func post(_ post: Delivery.Post) {
        Task(priority: .utility) { send(.answered(post.version, await parts.server.post(post))) }
    }

    private nonisolated func sweep() {
        Task { send(.swept(await parts.store.unfinished())) }
    }
}
