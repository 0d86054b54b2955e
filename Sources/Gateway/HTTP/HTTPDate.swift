internal import Domain

/// The form of a date in HTTP's headers (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ instant: Instant) -> String {
        let date = instant.calendarDate
        let (day, second) = Int(instant.seconds).quotientAndRemainder(dividingBy: 86_400)
        let clock = "\(pad(second / 3600)):\(pad(second / 60 % 60)):\(pad(second % 60))"
        // 1 January 1970 was a Thursday.
        return "\(days[day % 7]), \(pad(date.day)) \(months[date.month - 1]) \(date.year) \(clock) GMT"
    }

    private static func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
