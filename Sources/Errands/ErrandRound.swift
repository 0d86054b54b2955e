internal import Domain
internal import Ledger
internal import Stores

/// Which of the due errands are tried. A store that has just not answered is left alone for the rest of the round, so
/// that one that is down costs one timeout, not one for each errand. Pure.
struct ErrandRound {
    private struct Attempt {
        var number: Int
        var at: Instant
    }

    /// Results are committed by another thread: for a moment the ledger may still show what has just been tried.
    private static let moment = Duration.seconds(10)

    private var made: [Int64: Attempt] = [:]
    private var resting: [String: StoreAPIError] = [:]

    /// Begins a round; returns what is due and has not just been tried.
    mutating func begin(_ due: [QueuedErrand], now: Instant) -> [QueuedErrand] {
        resting = [:]
        let ids = Set(due.map(\.id))
        made = made.filter { id, attempt in ids.contains(id) && attempt.at + ErrandRound.moment > now }
        return due.filter { errand in made[errand.id].map { errand.attempts > $0.number } ?? true }
    }

    /// Why this one need not be tried now.
    mutating func obstacle(to errand: QueuedErrand, now: Instant) -> StoreAPIError? {
        made[errand.id] = Attempt(number: errand.attempts, at: now)
        return resting[errand.errand.destination]
    }

    mutating func failed(_ errand: QueuedErrand, _ error: StoreAPIError) {
        if error.concernsTheWholeStore { resting[errand.errand.destination] = error }
    }
}

extension Errand {
    /// Who is told.
    var destination: String { kind == .forward ? subject : provider.rawValue + app }
}
