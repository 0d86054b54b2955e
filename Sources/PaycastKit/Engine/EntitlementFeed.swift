internal import Foundation

/// What the user may use, as the server says or last said it. One request at a time; a failed one again with back-off.
actor EntitlementFeed {
    private static let shortestWait: TimeInterval = 60
    /// How long a purchase that is granted waits for what it opens.
    private static let patience: TimeInterval = 3

    private let parts: PurchaseEngine.Parts
    /// Tells the machine what it has to know of the answers.
    private let tell: @Sendable (PurchaseEvent) -> Void

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
    private var isInFront = true
    /// Hears that something has happened to the user's purchases. What it is, the entitlements tell.
    private var connection: (stream: SignedStream, task: Task<Void, Never>)?
    /// What the server has told this user's stream up to.
    private var cursor: String?

    init(_ parts: PurchaseEngine.Parts, tell: @escaping @Sendable (PurchaseEvent) -> Void) {
        self.parts = parts
        self.tell = tell
    }

    private var now: Date { parts.time.now }

    var state: EntitlementState {
        expire()
        guard proven.isEmpty, taken.isEmpty else {
            let earlier = known?.entitlements ?? Entitlements(active: false, entitlements: [:], contracts: [])
            return .onDevice(earlier.adding(taken + proven, catalog: try? parts.disk.catalog))
        }
        guard let known else { return .unknown }
        return isCurrent ? .current(known.entitlements) : .lastKnown(known.entitlements, at: known.knownAt)
    }

    private var owner: String? { known?.owner ?? stream?.owner }

    /// Nothing for a page of another user, whose log-in may still wait for its turn, or of nobody.
    func state(of viewer: String?) -> EntitlementState { viewer != nil && viewer == owner ? state : .unknown }

    /// What the process before knew. It is shown to its owner until the server says more, which is asked for it.
    func restore(_ stored: StoredEntitlements?) {
        guard known == nil, stream == nil || stream?.owner == stored?.owner else { return }
        known = stored
        stream = stream ?? stored?.stream
        publish()
        refresh()
        listen()
    }

    func use(_ stream: SignedStream?) {
        if stream?.owner != self.stream?.owner { cursor = nil }
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
        listen()
    }

    /// `taken`: what the server has just taken and calls the user's.
    func prove(_ transactions: [SignedTransaction], taken id: UInt64?, to owner: String) {
        guard owner == self.owner else { return }
        taken = (taken + proven.filter { $0.id == id }).filter { old in !transactions.contains { $0.id == old.id } }
        proven = transactions
        publish()
    }

    /// Kept: it tells what a product opens while the server is away.
    func catalog(locale: String?) async throws(PurchaseError) -> Catalog {
        let catalog = try await parts.server.catalog(locale: locale)
        try? parts.disk.save(catalog)
        return catalog
    }

    /// At most `limit`, newest first.
    func charges(product: String?, limit: Int) async throws(PurchaseError) -> [Charge] {
        guard let stream else { throw .notLoggedIn }
        var found: [Charge] = []
        var before: String?
        repeat {
            let page = try await parts.server.charges(
                of: stream,
                product: product,
                before: before,
                limit: min(100, limit - found.count)
            )
            found += page.purchases
            before = page.next
        } while before != nil && found.count < limit
        return found
    }

    /// What the server says now it has measured with its own clock.
    private func expire() {
        guard var later = known, !isCurrent else { return }
        later.expire(at: now)
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

    /// Waits for what the server has been asked, but not for a server that takes its time.
    func settle() async {
        guard isAsking else { return }
        let limit = parts.time.alarm(at: now.addingTimeInterval(EntitlementFeed.patience)) { await self.release() }
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

    func stop() {
        stream = nil
        release()
        alarm?.cancel()
        for subscriber in subscribers.values { subscriber.finish() }
        listen()
    }

    /// The present state at once, then each change. A slow reader misses what is over, never what is.
    nonisolated func states() -> AsyncStream<EntitlementState> {
        let (states, continuation) = AsyncStream<EntitlementState>.makeStream(bufferingPolicy: .bufferingNewest(1))
        Task { await subscribe(continuation) }
        return states
    }

    private func subscribe(_ continuation: AsyncStream<EntitlementState>.Continuation) {
        let id = UUID()
        subscribers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { [weak self] in await self?.unsubscribe(id) } }
        continuation.yield(state)
        listen()
    }

    private func unsubscribe(_ id: UUID) {
        subscribers[id] = nil
        listen()
    }

    private func publish() {
        guard state != published else { return }
        published = state
        for subscriber in subscribers.values { subscriber.yield(state) }
    }
}

/// The question, and when it is asked again.
extension EntitlementFeed {
    /// Asks the server, unless its last failure asks for patience.
    func refresh() {
        guard let stream else { return }
        guard !isAsking else {
            isAskedAgain = true
            return
        }
        backoff.hasten()
        guard backoff.isDue(at: now) else { return ask(at: backoff.due) }
        alarm?.cancel()
        let etag = known?.owner == stream.owner ? known?.etag : nil
        isAsking = true
        Task { [server = parts.server] in
            let answer = await server.entitlements(of: stream, etag: etag)
            if stream == self.stream { take(answer, of: stream) }
        }
    }

    private func take(_ answer: ServerResponse?, of stream: SignedStream) {
        isAsking = false
        if answer?.status == 200, let entitlements = answer?.decoded(as: Entitlements.self) {
            let etag = answer?.headers["etag"]
            known = StoredEntitlements(owner: stream.owner, entitlements: entitlements, etag: etag, knownAt: now)
            confirm()
        } else if answer?.status == 304 {
            confirm()
        } else {
            fail(answer, of: stream)
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
        known?.knownAt = now
        known?.stream = stream
        try? parts.disk.save(known)
        let ends = known?.entitlements.contracts.filter(\.active).compactMap(\.accessUntil) ?? []
        ask(at: ends.min().map { max($0, now.addingTimeInterval(EntitlementFeed.shortestWait)) })
    }

    private func fail(_ answer: ServerResponse?, of stream: SignedStream) {
        isCurrent = false
        if let answer, [401, 403].contains(answer.status), let code = answer.errorCode {
            // Which product was bought does not matter: the order that renews the stream has to name one.
            tell(.streamRefused(stream, code: code, product: known?.entitlements.contracts.first?.product))
        } else if let answer, !answer.isExpected {
            tell(.entitlementsAnswered(unexpected: answer.status))
        }
        backoff.fail(at: now, retryAfter: answer?.retryAfter, random: parts.chance())
        ask(at: backoff.due)
    }

    private func ask(at date: Date?) {
        alarm?.cancel()
        alarm = date.map { parts.time.alarm(at: $0) { await self.refresh() } }
    }
}

/// Hears of news while somebody reads the entitlements and the app is in front. What it is, the entitlements tell.
extension EntitlementFeed {
    func hear(_ event: SystemEvent) {
        if event != .networkIsBack { isInFront = event == .cameToFront }
        // A connection of the network before would be waited for until its time is up.
        connect()
    }

    private var wanted: SignedStream? { subscribers.isEmpty || !isInFront ? nil : stream }

    private func listen() {
        if wanted != connection?.stream { connect() }
    }

    private func connect() {
        connection?.task.cancel()
        connection = wanted.map { stream in (stream, Task { await follow(stream) }) }
    }

    private func follow(_ stream: SignedStream) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            var wait: TimeInterval?
            for await event in parts.server.events(of: stream, since: cursor) {
                guard !Task.isCancelled else { return }
                // Whoever comes without a cursor may have missed something since the question.
                let isNews = event.hasData || cursor == nil
                cursor = event.id ?? cursor
                wait = event.retry ?? wait
                if event.id != nil { backoff.reset() }
                if isNews { refresh() }
            }
            backoff.fail(at: now, retryAfter: wait, random: parts.chance())
            await parts.time.sleep(until: backoff.due ?? now)
        }
    }
}
