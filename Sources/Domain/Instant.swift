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

    /// Negative when `earlier` is the later one.
    public func elapsed(since earlier: Instant) -> Duration {
        .milliseconds(milliseconds) - .milliseconds(earlier.milliseconds)
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
        // 1 January 1970 was a Thursday.
        let weekday = weekdays[Int(seconds / 86_400) % 7]
        return "\(weekday), \(pad(date.day)) \(months[date.month - 1].prefix(3)) \(date.year) \(clock) GMT"
    }

    /// Returns nil for the two obsolete forms, which nobody sends anymore.
    public init?(httpDate text: String) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(where: { $0.prefix(3) == words[2] })
        else {
            return nil
        }
        self.init(iso8601: "\(words[3])-\(pad(month + 1))-\(words[1])T\(words[4])Z")
    }
}

private let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
private let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
]

extension Instant {
    /// `18 December 2025`, in UTC.
    public var longDate: String {
        let date = calendarDate
        return "\(date.day) \(months[date.month - 1]) \(date.year)"
    }

    /// `2025-12-18T21:47:00.000Z`: always with milliseconds, so that texts of one length sort as instants do.
    public var iso8601: String {
        let date = calendarDate
        let fraction = Int((milliseconds % 1000 + 1000) % 1000)
        return "\(pad(date.year, to: 4))-\(pad(date.month))-\(pad(date.day))T\(clock).\(pad(fraction, to: 3))Z"
    }

    /// In UTC: `21:47:00`.
    public var clock: String {
        let second = Int(((seconds % 86_400) + 86_400) % 86_400)
        return "\(pad(second / 3600)):\(pad(second / 60 % 60)):\(pad(second % 60))"
    }

    /// The proleptic Gregorian date in UTC.
    public var calendarDate: (year: Int, month: Int, day: Int) {
        // Days to civil date: https://howardhinnant.github.io/date_algorithms.html#civil_from_days
        let days = Int((seconds - (((seconds % 86_400) + 86_400) % 86_400)) / 86_400) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fff…](Z|±HH:MM)`; nil for anything else.
    public init?(iso8601 text: String) {
        var scanner = DateScanner(text)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t"),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
            let second = scanner.number(2), let fraction = scanner.fraction(), let offset = scanner.zone(),
            scanner.isAtEnd, (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let midnight = Instant.days(year: year, month: month, day: day) * 86_400
        // February 30 comes out as a day in March. The month is compared before the time of day and the zone shift the
        // date.
        guard Instant(milliseconds: Int64(midnight * 1000)).calendarDate.month == month else { return nil }
        let total = midnight + hour * 3600 + minute * 60 + second - offset * 60
        self.init(milliseconds: Int64(total * 1000 + fraction))
    }

    /// Since 1970, of a date in UTC.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

private func pad(_ number: Int, to width: Int = 2) -> String { padded(String(number), to: width) }

private struct DateScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return value(of: digits)
    }

    /// Milliseconds of an optional fraction; digits beyond the third are dropped.
    mutating func fraction() -> Int? {
        guard take(".") else { return 0 }
        let digits = rest.prefix(while: \.isDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        return [100, 10, 1][min(digits.count, 3) - 1] * value(of: digits.prefix(3))
    }

    private func value(of digits: Substring.UTF8View) -> Int { digits.reduce(0) { $0 * 10 + Int($1 - 48) } }

    /// Minutes east of UTC.
    mutating func zone() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
