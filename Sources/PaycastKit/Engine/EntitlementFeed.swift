internal import Foundation

/// What the user may use, as the server says it, or as it last said it while it cannot be reached. One request at a
/// time; a failed one is tried again with back-off.
actor EntitlementFeed {
    private static let shortestWait: TimeInterval = 60
    /// How long a purchase that is granted waits for what it opens.
    private static let patience: TimeInterval = 3

    private let parts: PurchaseEngine.Parts
    /// Tells the machine what it has to know of the answers.
    private let tell: @Sendable (PurchaseEvent) -> Void

    nonisolated let listener: StreamListener
    private var stream: SignedStream?
    private var known: StoredEntitlements?
    private var isCurrent = false
    /// What the store has proven to this user, and the server does not have yet.
    private var proven: [SignedTransaction] = []
    /// What it has taken of it, and not told since what that opens.
    private var taken: [SignedTransaction] = []
    private var published = EntitlementState.unknown
    private var subscribers: [UUID: AsyncStream<EntitlementState>.Continuation] = [:]
    private var backoff = Backoff()
    private var isAsking = false
    /// Somebody asked while a request was under way, whose answer may be older than what they know.
    private var isAskedAgain = false
    private var alarm: Task<Void, Never>?
    /// Whoever waits until no answer is outstanding.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ parts: PurchaseEngine.Parts, tell: @escaping @Sendable (PurchaseEvent) -> Void) {
        self.parts = parts
        listener = StreamListener(parts)
        self.tell = tell
    }

    var state: EntitlementState {
        expire()
        guard proven.isEmpty, taken.isEmpty else {
            let earlier = known?.entitlements ?? Entitlements(active: false, entitlements: [:], contracts: [])
            return .onDevice(earlier.adding(taken + proven, catalog: try? parts.disk.catalog))
        }
        guard let known else { return .unknown }
        return isCurrent ? .current(known.entitlements) : .lastKnown(known.entitlements, at: known.knownAt)
    }

    var owner: String? { known?.owner ?? stream?.owner }

    /// Nothing for a page of another user, whose log-in may still wait for its turn, or of nobody.
    func state(of viewer: String?) -> EntitlementState { viewer != nil && viewer == owner ? state : .unknown }

    /// What the process before knew. It is shown to its owner until the server says more, which is asked for it.
    func restore(_ stored: StoredEntitlements?) async {
        guard known == nil, stream == nil || stream?.owner == stored?.owner else { return }
        known = stored
        stream = stream ?? stored?.stream
        publish()
        refresh()
        await listen()
    }

    func use(_ stream: SignedStream?) async {
        self.stream = stream
        // Nothing cancels a request: on Linux, cancelling one that has just begun may never return. Nobody takes the answer.
        isAsking = false
        isCurrent = false
        (proven, taken) = ([], [])
        // A log-out removes also what this process could not read. Another user's log-in does not: whose it is, nobody knows.
        if stream == nil || (known != nil && known?.owner != stream?.owner) {
            known = nil
            try? parts.disk.save(StoredEntitlements?.none)
            publish()
        }
        backoff.reset()
        refresh()
        await listen()
    }

    /// `taken`: what the server has and calls the user's.
    func prove(_ transactions: [SignedTransaction], taken ids: Set<UInt64>, to owner: String) {
        guard owner == self.owner else { return }
        taken = (taken + proven).filter { old in ids.contains(old.id) && !transactions.contains { $0.id == old.id } }
        proven = transactions
        publish()
    }

    /// Kept: it tells what a product opens while the server is away.
    func catalog(locale: String?) async throws(PurchaseError) -> Catalog {
        let catalog = try await parts.server.catalog(locale: locale)
        try? parts.disk.save(catalog)
        return catalog
    }

    /// What is to be followed: nothing unless somebody reads what it brings.
    private var wanted: SignedStream? { subscribers.isEmpty ? nil : stream }

    /// What changes while the listener is told is told after it.
    private func listen() async {
        var told: SignedStream?
        repeat {
            told = wanted
            await listener.follow(told) { [weak self] in await self?.refresh() }
        } while told != wanted
    }

    /// What the server says now it has measured with its own clock.
    private func expire() {
        guard var later = known, !isCurrent else { return }
        later.expire(at: parts.time.now)
        guard later != known else { return }
        known = later
        try? parts.disk.save(later)
    }

    func withdraw(_ product: String, isFamilyShared: Bool) {
        guard known != nil else { return }
        known?.withdraw(product, isFamilyShared: isFamilyShared)
        try? parts.disk.save(known)
        publish()
    }

    /// Asks the server, unless its last failure asks for patience.
    func refresh() {
        guard let stream else { return }
        guard !isAsking else {
            isAskedAgain = true
            return
        }
        backoff.hasten()
        guard backoff.isDue(at: parts.time.now) else { return wait() }
        alarm?.cancel()
        let etag = known?.owner == stream.owner ? known?.etag : nil
        isAsking = true
        Task { [server = parts.server] in
            let answer = await server.entitlements(of: stream, etag: etag)
            if stream == self.stream { take(answer, of: stream) }
        }
    }

    /// Waits for what the server has been asked, but not for a server that takes its time.
    func settle() async {
        guard isAsking else { return }
        let limit = Task { [time = parts.time] in
            await time.sleep(until: time.now.addingTimeInterval(EntitlementFeed.patience))
            if !Task.isCancelled { release() }
        }
        await withCheckedContinuation { waiting.append($0) }
        limit.cancel()
    }

    /// Whether the server's present word is that the product has ended: the store hands over old transactions too.
    func hasLapsed(_ product: String) -> Bool {
        guard !isAsking, case .current(let entitlements) = state else { return false }
        let held = entitlements.contracts.filter { $0.product == product }
        return !held.isEmpty && held.allSatisfy { !$0.active && $0.quantity == nil }
    }

    private func release() {
        for waiter in waiting { waiter.resume() }
        waiting = []
    }

    func stop() async {
        stream = nil
        release()
        alarm?.cancel()
        for subscriber in subscribers.values { subscriber.finish() }
        await listen()
    }

    /// The present state at once, then each change. A slow reader misses what is over, never what is.
    nonisolated func states() -> AsyncStream<EntitlementState> {
        let (states, continuation) = AsyncStream<EntitlementState>.makeStream(bufferingPolicy: .bufferingNewest(1))
        Task { await subscribe(continuation) }
        return states
    }

    private func subscribe(_ continuation: AsyncStream<EntitlementState>.Continuation) async {
        let id = UUID()
        subscribers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { [weak self] in await self?.unsubscribe(id) } }
        continuation.yield(state)
        await listen()
    }

    private func unsubscribe(_ id: UUID) async {
        subscribers[id] = nil
        await listen()
    }

    private func take(_ answer: EntitlementsAnswer, of stream: SignedStream) {
        isAsking = false
        switch answer {
        case .changed(let entitlements, let etag):
            known = StoredEntitlements(
                owner: stream.owner,
                entitlements: entitlements,
                etag: etag,
                knownAt: parts.time.now
            )
            confirm()
        case .unchanged:
            known?.knownAt = parts.time.now
            confirm()
        case .unauthorized(let code):
            // Which product was bought does not matter: the order that renews the stream has to name one.
            tell(.streamRefused(stream, code: code, product: known?.entitlements.contracts.first?.product))
            fail(retryAfter: nil)
        case .failed(let seconds, let unexpected):
            if let unexpected { tell(.entitlementsAnswered(unexpected: unexpected)) }
            fail(retryAfter: seconds)
        }
        publish()
        guard isAskedAgain else { return release() }
        isAskedAgain = false
        refresh()
    }

    /// Access may end with time alone, or outlast its date a little: the server is asked again then.
    private func confirm() {
        backoff.reset()
        isCurrent = known != nil
        if !isAskedAgain { taken = [] }
        tell(.entitlementsAnswered(unexpected: nil))
        known?.stream = stream
        try? parts.disk.save(known)
        let ends = known?.entitlements.contracts.filter(\.active).compactMap(\.accessUntil) ?? []
        if let end = ends.min() { ask(at: max(end, parts.time.now.addingTimeInterval(EntitlementFeed.shortestWait))) }
    }

    private func fail(retryAfter seconds: TimeInterval?) {
        isCurrent = false
        backoff.fail(at: parts.time.now, retryAfter: seconds, random: parts.chance())
        wait()
    }

    private func wait() {
        if let due = backoff.due { ask(at: due) }
    }

    private func ask(at date: Date) {
        alarm?.cancel()
        alarm = Task { [time = parts.time] in
            await time.sleep(until: date)
            guard !Task.isCancelled else { return }
            refresh()
        }
    }

    private func publish() {
        guard state != published else { return }
        published = state
        for subscriber in subscribers.values { subscriber.yield(state) }
    }
}
