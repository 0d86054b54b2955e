internal import Foundation

/// Hears that something has happened to the user's purchases, while somebody reads the entitlements and the app is in front.
/// What it is, the entitlements tell.
actor StreamListener {
    private let parts: PurchaseEngine.Parts

    private var stream: SignedStream?
    private var news: @Sendable () async -> Void = {}
    private var isInFront = true
    /// What the server has told this user's stream up to.
    private var cursor: String?
    private var connection: Task<Void, Never>?

    init(_ parts: PurchaseEngine.Parts) {
        self.parts = parts
    }

    /// Nil if there is nobody to tell, or nothing to follow.
    func follow(_ stream: SignedStream?, news: @escaping @Sendable () async -> Void) {
        guard stream != self.stream else { return }
        if stream?.owner != self.stream?.owner { cursor = nil }
        (self.stream, self.news) = (stream, news)
        connect()
    }

    func hear(_ event: SystemEvent) {
        switch event {
        case .cameToFront: isInFront = true
        case .leftFront: isInFront = false
        // A connection of the network before would be waited for until its time is up.
        case .networkIsBack: break
        }
        connect()
    }

    private func connect() {
        connection?.cancel()
        guard let stream, isInFront else { return connection = nil }
        connection = Task { await listen(to: stream) }
    }

    private func listen(to stream: SignedStream) async {
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
                if isNews { await news() }
            }
            backoff.fail(at: parts.time.now, retryAfter: wait, random: parts.chance())
            await parts.time.sleep(until: backoff.due ?? parts.time.now)
        }
    }
}
