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
