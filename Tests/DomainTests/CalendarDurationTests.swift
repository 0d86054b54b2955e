import Testing

@testable import Domain

@Suite struct CalendarDurationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var start: String
        var months = 0
        var days: Int64 = 0
        var end: String
        var testDescription: String { "\(start), \(months) months and \(days) days" }
    }

    @Test(arguments: [
        Case(start: "2023-06-01T10:30:00Z", months: 12, end: "2024-06-01T10:30:00.000Z"),
        Case(start: "2023-01-31T23:59:59.999Z", months: 1, end: "2023-02-28T23:59:59.999Z"),
        Case(start: "2024-01-31T00:00:00Z", months: 1, end: "2024-02-29T00:00:00.000Z"),
        Case(start: "2024-02-29T12:00:00Z", months: 12, end: "2025-02-28T12:00:00.000Z"),
        Case(start: "2024-02-29T12:00:00Z", months: 48, end: "2028-02-29T12:00:00.000Z"),
        Case(start: "2023-12-15T00:00:00Z", months: 1, end: "2024-01-15T00:00:00.000Z"),
        Case(start: "2023-03-31T00:00:00Z", months: 6, end: "2023-09-30T00:00:00.000Z"),
        Case(start: "2023-11-30T00:00:00Z", months: 3, end: "2024-02-29T00:00:00.000Z"),
        Case(start: "2099-12-31T00:00:00Z", months: 2, end: "2100-02-28T00:00:00.000Z"),
        // The months come first.
        Case(start: "2023-01-31T00:00:00Z", months: 1, days: 1, end: "2023-03-01T00:00:00.000Z"),
        Case(start: "2024-02-28T00:00:00Z", days: 7, end: "2024-03-06T00:00:00.000Z"),
        Case(start: "1969-12-31T23:00:00Z", months: 2, end: "1970-02-28T23:00:00.000Z"),
    ]) func goesByTheCalendar(_ given: Case) throws {
        let start = try #require(Instant(iso8601: given.start))
        let duration = CalendarDuration(months: given.months, rest: .seconds(given.days * 86_400))
        #expect(duration.end(from: start).iso8601 == given.end)
    }

    @Test(arguments: [Int64.min, -8_640_000_000_000_000, 8_640_000_000_000_000, .max])
    func noDateOverflows(_ milliseconds: Int64) {
        let start = Instant(milliseconds: milliseconds)
        let end = CalendarDuration(months: 1200, rest: .seconds(100 * 366 * 86_400)).end(from: start)
        #expect(end > start || end.milliseconds == .max)
    }
}
