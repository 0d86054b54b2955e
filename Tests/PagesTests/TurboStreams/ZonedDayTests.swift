import Domain
import Testing

@testable import Pages

/// Which day a page shows, by where its user is.
@Suite struct ZonedDayTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var zone: String?
        var locale: String?
        var end: String
        var day: String
        var testDescription: String { "\(zone ?? "none") \(locale ?? "-") \(end)" }
    }

    @Test(arguments: [
        Case(end: "2026-01-31T23:30:00.000Z", day: "31 January 2026"),
        Case(zone: "UTC", end: "2026-01-31T23:30:00.000Z", day: "31 January 2026"),
        Case(zone: "Pacific/Apia", end: "2026-01-31T11:00:00.000Z", day: "1 February 2026"),
        Case(zone: "Pacific/Apia", end: "2026-01-31T10:59:59.999Z", day: "31 January 2026"),
        Case(zone: "Pacific/Pago_Pago", end: "2026-01-31T11:00:00.000Z", day: "31 January 2026"),
        Case(zone: "Pacific/Pago_Pago", end: "2026-01-31T10:59:59.999Z", day: "30 January 2026"),
        Case(zone: "Pacific/Apia", locale: "de", end: "2026-01-31T11:00:00.000Z", day: "1. Februar 2026"),
        Case(zone: "Pacific/Pago_Pago", locale: "pt-BR", end: "2026-01-31T10:00:00.000Z", day: "30 de janeiro de 2026"),
        Case(zone: "Asia/Tehran", locale: "fa", end: "2026-03-20T20:30:00.000Z", day: "۱ فروردین ۱۴۰۵"),
        // An hour ahead in winter, two in summer; the clocks change on March 29 and October 25.
        Case(zone: "Europe/Berlin", end: "2026-01-31T22:59:59.999Z", day: "31 January 2026"),
        Case(zone: "Europe/Berlin", end: "2026-01-31T23:00:00.000Z", day: "1 February 2026"),
        Case(zone: "Europe/Berlin", end: "2026-03-29T21:59:59.999Z", day: "29 March 2026"),
        Case(zone: "Europe/Berlin", end: "2026-03-29T22:00:00.000Z", day: "30 March 2026"),
        Case(zone: "Europe/Berlin", end: "2026-10-25T22:59:59.999Z", day: "25 October 2026"),
        Case(zone: "America/New_York", end: "2026-03-08T04:59:59.999Z", day: "7 March 2026"),
        Case(zone: "America/New_York", end: "2026-03-09T04:00:00.000Z", day: "9 March 2026"),
        Case(zone: "Asia/Calcutta", end: "2026-01-31T18:30:00.000Z", day: "1 February 2026"),
        Case(zone: "Etc/GMT+12", end: "2026-01-31T11:59:59.999Z", day: "30 January 2026"),
        Case(zone: "Mars/Olympus", end: "2026-01-31T23:30:00.000Z", day: "31 January 2026"),
        Case(zone: "Pacific/Apia", end: "tomorrow", day: "as it was"),
        Case(zone: "Pacific/Apia", locale: "de", end: "", day: "as it was"),
    ])
    func showsTheUsersDay(_ given: Case) throws {
        let template =
            #"<p id="{{paywall}}" data-zone="{{time_zone}}" data-iso="{{access_until_iso}}">{{access_until}}</p>"#
        var renderer = TemplateRenderer()
        try renderer.load("success.html", source: Array(template.utf8))
        var values = ["access_until_iso": given.end]
        values["access_until"] = Instant(iso8601: given.end)?.longDate ?? "as it was"
        values["time_zone"] = given.zone
        values["locale"] = given.locale
        let html = String(
            decoding: try #require(renderer.element(.success, for: .paywall, values: values)),
            as: UTF8.self
        )
        #expect(html.contains(">\(given.day)</p>") && html.contains("data-iso=\"\(given.end)\""), "\(html)")
        let isUnknown = given.zone == nil || given.zone == "Mars/Olympus"
        #expect(html.contains("data-zone=\"\(isUnknown ? "" : given.zone ?? "")\""), "\(html)")
    }

    @Test(arguments: [
        "Europe/Berlin", "Europe/Kyiv", "Europe/Kiev", "Asia/Kolkata", "Asia/Calcutta",
        "America/Argentina/ComodRivadavia",
        "US/Pacific", "Etc/GMT-13", "UTC", "GMT", "Etc/UTC", "CET", "EST5EDT", "Japan",
    ]) func knowsNamesOfTheDatabase(_ name: String) throws {
        #expect(ZonedDay.knows(try #require(TimeZoneName(name))))
    }

    @Test(arguments: [
        "Mars/Olympus", "Europe", "europe/berlin", "Berlin", "GMT+5", "gmt-0530", "GMT+053012", "UTC+3", "utc-0300",
        "Etc/Unknown", "posixrules", "x", "Europe/Berlin/",
    ]) func knowsNothingElse(_ name: String) {
        #expect(TimeZoneName(name).map(ZonedDay.knows) != true)
    }

    @Test(arguments: [
        "", "+03", "-3", "/Europe/Berlin", "../../etc/passwd", "Europe/Berlin ", "Europe/Berl\u{ED}n", "Europe\\Berlin",
        "+03:00", "Europe/Berlin\u{0}", "Europe.Berlin",
        String(repeating: "a", count: 65),
    ]) func otherTextIsNoName(_ text: String) {
        #expect(TimeZoneName(text) == nil)
    }

    /// Stores' dates may be anything.
    @Test(arguments: [Int64.min, .max, 0, -62_135_596_800_000, 253_402_300_799_999])
    func noInstantTraps(_ milliseconds: Int64) throws {
        let zone = try #require(TimeZoneName("Europe/Berlin"))
        _ = try #require(ZonedDay.local(Instant(milliseconds: milliseconds), in: zone)).longDate
    }
}
