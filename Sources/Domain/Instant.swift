/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z, fine enough for every store's signed dates.
public struct Instant: Hashable, Comparable, Sendable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

    /// Saturates instead of overflowing: dates come from payloads.
    public static func + (left: Instant, right: Duration) -> Instant {
        let (sum, overflow) = left.milliseconds.addingReportingOverflow(right.milliseconds)
        return Instant(milliseconds: overflow ? (right.milliseconds > 0 ? .max : .min) : sum)
    }

    public static func - (left: Instant, right: Duration) -> Instant {
        left + (Duration.zero - right)
    }
}

extension Duration {
    /// Whole milliseconds, rounded toward zero; saturates instead of overflowing.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isBeyond || overflows ? (seconds > 0 ? .max : .min) : sum
    }
}

/// The form of a date in HTTP's headers (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
extension Instant {
    public var httpDate: String {
        let date = calendarDate
        let (day, second) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
        let clock = "\(pad(second / 3600)):\(pad(second / 60 % 60)):\(pad(second % 60))"
        // 1 January 1970 was a Thursday.
        return "\(days[day % 7]), \(pad(date.day)) \(months[date.month - 1]) \(date.year) \(clock) GMT"
    }

    /// Returns nil for the two obsolete forms, which nobody sends anymore.
    public init?(httpDate text: String) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(where: { $0 == words[2] }) else {
            return nil
        }
        self.init(iso8601: "\(words[3])-\(pad(month + 1))-\(words[1])T\(words[4])Z")
    }
}

private let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
