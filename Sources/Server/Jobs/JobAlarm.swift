import Domain
import Ledger

/// Decides when an operator has to be told about jobs. Pure.
struct JobAlarm: Equatable {
    /// Google refunds what is not acknowledged within three days. The margin leaves a day to help.
    static let margin = Duration.seconds(86_400)
    /// The value that stands for no waiting job with a deadline.
    static let never = 999_999_999

    var backlog = JobBacklog()
    /// True if no job has finished since the waiting jobs were counted.
    var isCounted = true
    /// The number of acknowledgments that were abandoned since the start.
    var unacknowledged = 0
    var now = Instant(milliseconds: 0)

    /// The last count, or nil if a new one is needed. A job that finishes from now on outdates the count again.
    mutating func takeCount() -> JobBacklog? {
        defer { isCounted = true }
        return isCounted ? backlog : nil
    }

    func secondsLeft(at now: Instant) -> Int {
        backlog.nearestDeadline.map { Int(($0.milliseconds.subtractingSaturated(now.milliseconds)) / 1000) }
            ?? JobAlarm.never
    }

    /// For `/ready`. The sentences do not change from second to second.
    var problems: [String] {
        var problems: [String] = []
        if let deadline = backlog.nearestDeadline, deadline < now + JobAlarm.margin {
            let date = deadline.iso8601
            problems.append("a purchase must be acknowledged by \(date), or the store refunds it; see the log")
        }
        if unacknowledged > 0 {
            problems.append("\(unacknowledged) purchases could not be acknowledged and are refunded; see the log")
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
