internal import Domain
internal import Ledger

/// When an operator has to know of errands. Pure.
struct ErrandAlarm: Equatable {
    /// Google refunds what is not acknowledged within three days: a day is left to help.
    static let margin = Duration.seconds(86_400)
    /// No errand that waits has a deadline.
    static let never = 999_999_999

    var backlog = ErrandBacklog()
    /// Nothing was settled since those that wait were counted.
    var isCounted = true
    /// Acknowledgements that were given up since the start.
    var unacknowledged = 0
    var now = Instant(milliseconds: 0)

    /// What is known, nil when it is to be counted anew. What is settled from now on is of the next count.
    mutating func takeCount() -> ErrandBacklog? {
        defer { isCounted = true }
        return isCounted ? backlog : nil
    }

    func secondsLeft(at now: Instant) -> Int {
        backlog.nearestDeadline.map { Int(($0.milliseconds.subtractingSaturated(now.milliseconds)) / 1000) }
            ?? ErrandAlarm.never
    }

    /// For `/ready`; the sentence does not change from second to second.
    var problems: [String] {
        var problems: [String] = []
        if let deadline = backlog.nearestDeadline, deadline < now + ErrandAlarm.margin {
            problems.append("a purchase must be acknowledged by \(deadline.iso8601), or the store refunds it")
        }
        if unacknowledged > 0 {
            problems.append("\(unacknowledged) purchases could not be acknowledged: the store refunds them")
        }
        return problems
    }
}

extension Int64 {
    fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < other ? .min : .max) : difference
    }
}
