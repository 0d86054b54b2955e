internal import Domain
internal import FoundationEssentials
internal import FoundationInternationalization
internal import Synchronization

/// How dates and prices are written in one language; of all files here, the only one that knows ICU.
struct LocalFormat: Sendable {
    private let locale: Locale
    private let date: Date.FormatStyle

    /// Of the closest language that ICU knows; English of one that it does not, which would be written as by a machine.
    /// Kept for each: there are about a thousand that it knows, however many are asked for.
    static func of(_ language: LanguageTag) -> LocalFormat {
        let identifier = known(language) ?? "en"
        return formats.withLock { formats in
            if let format = formats[identifier] { return format }
            let format = LocalFormat(identifier)
            formats[identifier] = format
            return format
        }
    }

    /// How many are kept.
    static var count: Int { formats.withLock(\.count) }

    static func knows(_ language: LanguageTag) -> Bool { known(language) != nil }

    private static let formats = Mutex<[String: LocalFormat]>([:])
    private static let identifiers = Set(Locale.availableIdentifiers)

    /// Never the language as it came: Foundation keeps a locale for each identifier that it was ever asked for.
    private static func known(_ language: LanguageTag) -> String? {
        if let identifier = known([language]) { return identifier }
        // `zh-TW` is known as `zh-Hant-TW` only, and `iw` is called `he` now.
        let whole = LanguageTag(Locale.Language(identifier: language.text).maximalIdentifier)
        return known(whole?.fallbacks ?? []) ?? known(language.fallbacks)
    }

    private static func known(_ languages: [LanguageTag]) -> String? {
        languages.lazy.map { $0.text.replacing("-", with: "_") }.first(where: identifiers.contains)
    }

    private init(_ identifier: String) {
        locale = Locale(identifier: identifier)
        // In UTC, as where no language is known; by the calendar of the locale, `۲۷ آذر ۱۴۰۴` in Persian.
        date = Date.FormatStyle(
            date: .long,
            time: .omitted,
            locale: locale,
            calendar: locale.calendar,
            timeZone: .gmt
        )
    }

    /// `18. Dezember 2025`; nil for a text that is no instant. About 10 µs.
    func date(_ iso8601: String) -> String? {
        Instant(iso8601: iso8601).map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000).formatted(date) }
    }

    /// `79,99 €` for `79.99` and `EUR`, a number where the currency is not known; nil for a text that is no price of ours.
    /// About 50 µs.
    func price(_ text: String, currency: String) -> String? {
        guard let (price, digits) = decimal(text) else { return nil }
        guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (97...122).contains($0 | 0x20) }) else {
            return price.formatted(Decimal.FormatStyle(locale: locale).precision(.fractionLength(digits)))
        }
        let style = Decimal.FormatStyle.Currency(code: currency, locale: locale)
        // Ours has a third digit only where it counts; else the currency has as many as are usual: yen none.
        return price.formatted(digits > 2 ? style.precision(.fractionLength(digits)) : style)
    }

    private func decimal(_ text: String) -> (Decimal, digits: Int)? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, (2...3).contains(parts[1].count), (1...17).contains(parts[0].count),
            Int64(Substring(parts[0])) != nil, parts[1].allSatisfy({ (48...57).contains($0) }),
            let price = Decimal(string: text)
        else { return nil }
        return (price, parts[1].count)
    }
}
