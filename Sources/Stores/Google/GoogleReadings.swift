internal import Crypto
internal import Domain
internal import Synchronization

/// One reading of a purchase at a time, each later than the one before it, so that an older answer cannot come in after
/// a newer one, nor look newer.
final class GoogleReadings: Sendable {
    private final class Lane: Sendable {
        /// When the last reading was begun.
        let last = Mutex(Instant(milliseconds: .min))
    }

    /// Tokens are spread over these; two that share one wait for each other, which costs nothing but time.
    private let lanes = (0..<32).map { _ in Lane() }
    private let clock: @Sendable () -> Instant

    init(clock: @escaping @Sendable () -> Instant) {
        self.clock = clock
    }

    /// `read` is told when it begins: after it has waited for its turn.
    func one<Answer>(
        of token: String,
        _ read: (Instant) throws(StoreAPIError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        let number = SHA256.hash(Array(token.utf8)).first.map { Int($0) % lanes.count } ?? 0
        return try lanes[number].last.withLock { last throws(StoreAPIError) in
            last = max(clock(), last + .milliseconds(1))
            return try read(last)
        }
    }
}
