import Crypto
import Domain
import Support
import Synchronization

/// Makes one reading of a purchase at a time, each dated later than the one before, so that an older answer can neither
/// arrive after a newer one nor look newer.
final class GoogleReadingOrder: Sendable {
    private struct Lane {
        /// When the last reading began.
        var last = Instant(milliseconds: .min)
        var failure = SharedFailure()
    }

    private final class Turn: Sendable {
        let lane = Mutex(Lane())
    }

    /// Tokens are spread over these locks. Two tokens that share one wait for each other, which only costs time.
    private let turns = (0..<32).map { _ in Turn() }
    private let clock: @Sendable () -> Instant

    init(clock: @escaping @Sendable () -> Instant) {
        self.clock = clock
    }

    /// `read` gets the instant at which it begins, after it has waited for its turn.
    func one<Answer: Sendable>(
        of token: String,
        read: (Instant) throws(StoreAPIError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        let number = SHA256.hash(Array(token.utf8)).first.map { Int($0) % turns.count } ?? 0
        let came = monotonicNanoseconds()
        return try turns[number].lane.withLock { lane throws(StoreAPIError) in
            let readAt = max(clock(), lane.last + .milliseconds(1))
            lane.last = readAt
            return try lane.failure.share(since: came) { () throws(StoreAPIError) in try read(readAt) }
        }
    }
}

/// Lets calls that wait for each other fail together: when a store does not answer, those that waited fail too.
/// Otherwise each would take as long as the first, and eight threads that wait for a dead address would take a minute.
struct SharedFailure {
    private var last: (error: StoreAPIError, endedAt: MonotonicTime)?

    /// Throws the error of a call that ended after this caller `came`, or else makes its own.
    mutating func share<Answer: Sendable>(
        since came: MonotonicTime,
        _ call: () throws(StoreAPIError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        if let last, last.endedAt >= came { throw last.error }
        do throws(StoreAPIError) {
            return try call()
        } catch {
            // An error that concerns one purchase is not shared.
            if error.concernsTheWholeStore { last = (error, monotonicNanoseconds()) }
            throw error
        }
    }
}
