import Domain
import Testing

@Suite struct InstantTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var milliseconds: Int64?
        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(text: "1970-01-01T00:00:00Z", milliseconds: 0),
        Case(text: "2025-12-18T21:47:00Z", milliseconds: 1_766_094_420_000),
        Case(text: "2025-12-18T22:47:00+01:00", milliseconds: 1_766_094_420_000),
        Case(text: "2024-02-29T23:59:59.125Z", milliseconds: 1_709_251_199_125),
        Case(text: "1969-12-31T23:59:59.999Z", milliseconds: -1),
        Case(text: "2025-02-30T00:00:00Z", milliseconds: nil),
        Case(text: "2025-02-30T00:00:00+01:00", milliseconds: nil),
        Case(text: "2025-02-29T23:59:60Z", milliseconds: nil),
        Case(text: "2025-04-31T00:30:00+01:00", milliseconds: nil),
        Case(text: "1900-02-29T12:00:00-05:00", milliseconds: nil),
        Case(text: "2025-03-01T00:30:00+01:00", milliseconds: 1_740_785_400_000),
        Case(text: "2025-12-31T23:30:00-01:00", milliseconds: 1_767_227_400_000),
        Case(text: "2016-12-31T23:59:60Z", milliseconds: 1_483_228_800_000),
        Case(text: "2025-12-18T24:00:00Z", milliseconds: nil),
        Case(text: "2025-12-18 21:47:00Z", milliseconds: nil),
        Case(text: "2025-12-18T21:47:00", milliseconds: nil),
        Case(text: "2025-12-18T21:47:00Zjunk", milliseconds: nil),
        Case(text: "", milliseconds: nil),
    ]) func reads(_ given: Case) {
        #expect(Instant(iso8601: given.text)?.milliseconds == given.milliseconds)
    }

    @Test(arguments: [0, 1_766_094_420_000, 1_709_251_199_125, -1, -62_135_769_600_000, 4_102_444_800_000] as [Int64])
    func writesWhatItReads(_ milliseconds: Int64) {
        let instant = Instant(milliseconds: milliseconds)
        #expect(milliseconds < -62_135_596_800_000 || Instant(iso8601: instant.iso8601) == instant)
    }

    @Test(arguments: [
        Case(text: "1970-01-01T00:00:00.000Z", milliseconds: 0),
        Case(text: "2025-12-18T21:47:00.000Z", milliseconds: 1_766_094_420_000),
        Case(text: "2024-02-29T23:59:59.120Z", milliseconds: 1_709_251_199_120),
        Case(text: "1969-12-31T23:59:59.999Z", milliseconds: -1),
    ]) func alwaysWritesMilliseconds(_ given: Case) throws {
        #expect(Instant(milliseconds: try #require(given.milliseconds)).iso8601 == given.text)
    }

    @Test func additionSaturates() {
        #expect(Instant(milliseconds: .max) + .seconds(1) == Instant(milliseconds: .max))
        #expect(Instant(milliseconds: .min) - .seconds(1) == Instant(milliseconds: .min))
    }
}
