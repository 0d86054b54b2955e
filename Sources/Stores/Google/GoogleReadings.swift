internal import Concurrency
internal import Crypto
internal import Domain
internal import StoreInterface
internal import Synchronization

/// One reading of a purchase at a time, each later than the one before it, so that an older answer cannot come in after
/// a newer one, nor look newer.
final class GoogleReadings: Sendable {
    private struct Lane {
        /// When the last reading was begun.
        var last = Instant(milliseconds: .min)
        var failure = SharedFailure()
    }

    private final class Turn: Sendable {
        let lane = Mutex(Lane())
    }

    /// Tokens are spread over these; two that share one wait for each other, which costs nothing but time.
    private let turns = (0..<32).map { _ in Turn() }
    private let clock: @Sendable () -> Instant

    init(clock: @escaping @Sendable () -> Instant) {
        self.clock = clock
    }

    /// `read` is told when it begins: after it has waited for its turn.
    func one<Answer>(
        of token: String,
        _ read: (Instant) throws(StoreAPIError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        let number = SHA256.hash(Array(token.utf8)).first.map { Int($0) % turns.count } ?? 0
        let came = monotonicNanoseconds()
        return try turns[number].lane.withLock { lane throws(StoreAPIError) in
            try lane.failure.share(since: came)
            lane.last = max(clock(), lane.last + .milliseconds(1))
            do throws(StoreAPIError) {
                return try read(lane.last)
            } catch {
                lane.failure.ended(with: error)
                throw error
            }
        }
    }
}
