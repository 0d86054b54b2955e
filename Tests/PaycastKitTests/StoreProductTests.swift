import Foundation
import Testing

@testable import PaycastKit

@Suite("What a paywall shows of a product")
struct StoreProductTests {
    struct PeriodCase: CustomTestStringConvertible, Sendable {
        var period: StoreProduct.Period
        /// As pages are told.
        var duration: String
        /// Where it ends if it begins with January 31, 2027.
        var end: String
        var testDescription: String { duration }

        static let all = [
            PeriodCase(period: .init(7, .day), duration: "P7D", end: "2027-02-07"),
            PeriodCase(period: .init(2, .week), duration: "P2W", end: "2027-02-14"),
            PeriodCase(period: .init(1, .month), duration: "P1M", end: "2027-02-28"),
            PeriodCase(period: .init(6, .month), duration: "P6M", end: "2027-07-31"),
            PeriodCase(period: .init(1, .year), duration: "P1Y", end: "2028-01-31"),
        ]
    }

    @Test(
        "A period ends where the calendar says, and is told to pages as ISO 8601 writes it",
        arguments: PeriodCase.all
    )
    func period(of it: PeriodCase) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let day = Date.ISO8601FormatStyle().year().month().day()
        let end = calendar.date(byAdding: it.period.dateComponents, to: try day.parse("2027-01-31"))
        #expect(end?.formatted(day) == it.end)
        let product = StoreProduct(id: "p", name: "P", displayPrice: "1", period: it.period)
        let json = try JSONEncoder().encode(product)
        #expect(String(decoding: json, as: UTF8.self).contains(#""period":"\#(it.duration)""#))
        #expect(try JSONDecoder().decode(StoreProduct.self, from: json) == product)
    }

    @Test("It is kept as JSON without a loss, and read from what an older version kept")
    func codable() throws {
        let kept = try JSONEncoder().encode(Fixture.subscription)
        #expect(try JSONDecoder().decode(StoreProduct.self, from: kept) == Fixture.subscription)
        let older = Data(#"{"id":"p","name":"P","displayPrice":"1"}"#.utf8)
        #expect(
            try JSONDecoder().decode(StoreProduct.self, from: older)
                == StoreProduct(id: "p", name: "P", displayPrice: "1")
        )
    }
}
