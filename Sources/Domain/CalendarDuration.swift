/// A length of time as the calendar counts it, in UTC: a year that begins on 1 June ends on 1 June, and a month that
/// begins on 31 January ends on the last day of February.
public struct CalendarDuration: Sendable, Hashable {
    /// A year has twelve.
    public var months: Int
    /// What is added to the months. A day of UTC always has 24 hours, so that weeks and days belong here.
    public var rest: Duration

    public init(months: Int = 0, rest: Duration = .zero) {
        self.months = months
        self.rest = rest
    }

    public static func years(_ count: Int) -> CalendarDuration { CalendarDuration(months: count * 12) }
    public static func days(_ count: Int) -> CalendarDuration { .seconds(count * 86_400) }
    public static func seconds(_ count: Int) -> CalendarDuration { CalendarDuration(rest: .seconds(count)) }

    /// The instant at which what begins at `start` ends: the same time of day, on the last day of a month that has no such
    /// day. Saturates instead of overflowing.
    public func end(from start: Instant) -> Instant {
        let date = start.calendarDate
        let month = date.year * 12 + date.month - 1 + months
        let index = (month % 12 + 12) % 12
        let year = (month - index) / 12
        let first = Instant.days(year: year, month: index + 1, day: 1)
        let next = Instant.days(year: index == 11 ? year + 1 : year, month: index == 11 ? 1 : index + 2, day: 1)
        let day = first + min(date.day, next - first) - 1
        let today = Instant.days(year: date.year, month: date.month, day: date.day)
        return start + .seconds((day - today) * 86_400) + rest
    }
}
