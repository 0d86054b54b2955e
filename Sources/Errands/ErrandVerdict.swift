internal import Domain
internal import Ledger
internal import StoreInterface

/// Decides what happens to an errand that was tried and failed. Pure.
struct ErrandVerdict {
    /// How long an errand without a deadline is tried.
    static func patience(for kind: Errand.Kind) -> Duration {
        switch kind {
        case .forward: .seconds(3 * 86_400)
        case .acknowledge, .consume, .finish, .setToken: .seconds(30 * 86_400)
        }
    }

    var errand: QueuedErrand
    var now: Instant
    var jitter: Double

    func result(of error: StoreAPIError) -> ErrandResult {
        let reason = error.description(of: errand.errand)
        guard !error.isFinal else { return .abandoned(reason: reason) }
        guard now < end else { return .abandoned(reason: "its time is over; at last \(reason)") }
        return .retry(at: comeback(after: error), reason: reason)
    }

    /// For an errand that is not tried, because its store has just failed to answer another one.
    func postponed(because error: StoreAPIError) -> ErrandResult {
        guard now < end else { return result(of: error) }
        return .retry(at: comeback(after: error), reason: error.description(of: errand.errand))
    }

    private var end: Instant {
        errand.errand.deadline ?? errand.queuedAt + ErrandVerdict.patience(for: errand.errand.kind)
    }

    private func comeback(after error: StoreAPIError) -> Instant {
        let next = now + Backoff().delay(after: errand.attempts + 1, jitter: jitter)
        guard case .unavailable(_, let after?) = error else { return next }
        return max(next, min(after, now + Backoff().most))
    }
}

extension StoreAPIError {
    /// True when the answer will never change. Other errors may pass: a key can be corrected, and what cannot be read
    /// today may be readable tomorrow.
    var isFinal: Bool {
        guard case .refused = self else { return false }
        return true
    }
}
