public import Domain
import FoundationEssentials
import FoundationInternationalization
import Synchronization

/// How one language writes dates and prices. Only this file uses ICU.
struct LocalFormat: Sendable {
    private let locale: Locale
    private let date: Date.FormatStyle

    /// The format of the closest language that ICU knows, else English, because ICU's own fallback looks machine-made.
    /// Formats are cached: ICU knows about a thousand languages, however many are requested.
    static func of(_ language: LanguageTag) -> LocalFormat {
        let identifier = known(language) ?? "en"
        return formats.withLock { formats in
            if let format = formats[identifier] { return format }
            let format = LocalFormat(identifier)
            formats[identifier] = format
            return format
        }
    }

    /// The number of cached formats.
    static var count: Int { formats.withLock(\.count) }

    static func knows(_ language: LanguageTag) -> Bool { known(language) != nil }

    private static let formats = Mutex<[String: LocalFormat]>([:])
    private static let identifiers = Set(Locale.availableIdentifiers)

    /// Never pass on the tag as received: Foundation keeps a locale for each identifier that it was ever asked for.
    private static func known(_ language: LanguageTag) -> String? {
        if let identifier = known([language]) { return identifier }
        // ICU knows `zh-TW` as `zh-Hant-TW` only, and `iw` is now called `he`.
        let whole = LanguageTag(Locale.Language(identifier: language.text).maximalIdentifier)
        return known(whole?.fallbacks ?? []) ?? known(language.fallbacks)
    }

    private static func known(_ languages: [LanguageTag]) -> String? {
        languages.lazy.map { $0.text.replacing("-", with: "_") }.first(where: identifiers.contains)
    }

    /// The language that is called so in English or by those who speak it, in any case and without accents: `francais`.
    static func language(called word: String) -> LanguageTag? {
        let word = Array(word.lowercased())
        return names.first { isSame(Array($0.name), as: word) }?.tag
    }

    /// Made for the first file that asks: it takes some milliseconds.
    private static let names: [(name: String, tag: LanguageTag)] = {
        let languages = Set(Locale.availableIdentifiers.compactMap { LanguageTag($0)?.language }).sorted()
        return languages.compactMap { LanguageTag($0) }.flatMap { tag in
            ["en", tag.text].compactMap { Locale(identifier: $0).localizedString(forLanguageCode: tag.text) }
                .filter { $0 != tag.text }.map { ($0.lowercased(), tag) }
        }
    }()

    /// Whoever types a file's name may leave out what a letter has on it; most letters are what they are.
    private static func isSame(_ name: [Character], as word: [Character]) -> Bool {
        guard name.count == word.count else { return false }
        let pairs = zip(name, word)
        return pairs.allSatisfy { $0 == $1 || (!$0.isASCII && $1.isASCII) }
            && pairs.count { $0 == $1 } * 2 >= name.count
    }

    private init(_ identifier: String) {
        locale = Locale(identifier: identifier)
        // In the locale's calendar: `۲۷ آذر ۱۴۰۴` in Persian. `ZonedDay` shifts what is read elsewhere, so that one format
        // serves all zones.
        date = Date.FormatStyle(date: .long, time: .omitted, locale: locale, calendar: locale.calendar, timeZone: .gmt)
    }

    /// The day in UTC: `18. Dezember 2025`. Takes about 10 µs.
    func date(_ instant: Instant) -> String {
        Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000).formatted(date)
    }

    /// `79,99 €` for `79.99` and `EUR`, or a plain number if the currency is not a code; nil if the text is not a price
    /// in our format. Takes about 50 µs.
    func price(_ text: String, currency: String) -> String? {
        guard let (price, digits) = decimal(text) else { return nil }
        guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (97...122).contains($0 | 0x20) }) else {
            return price.formatted(Decimal.FormatStyle(locale: locale).precision(.fractionLength(digits)))
        }
        let style = Decimal.FormatStyle.Currency(code: currency, locale: locale)
        // Our text has a third digit only if it matters; otherwise use the currency's usual digits (none for yen).
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

/// Which day an instant is in a time zone. The zones are those of the ICU that is part of the program: it reads no files of
/// the machine, which need not have any.
public enum ZonedDay {
    public static func knows(_ zone: TimeZoneName) -> Bool { timeZone(zone) != nil }

    /// The instant at which UTC's calendar and clock show what the zone's show at `instant`; nil for an unknown zone. Takes
    /// about 0.5 µs.
    static func local(_ instant: Instant, in zone: TimeZoneName) -> Instant? {
        guard let timeZone = timeZone(zone) else { return nil }
        let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
        return instant + .seconds(timeZone.secondsFromGMT(for: date))
    }

    private static func timeZone(_ zone: TimeZoneName) -> TimeZone? {
        // Foundation also makes zones of offsets (`GMT+0530`, `UTC+3`), which are no names, and keeps each.
        let isOffset = zone.text.utf8.count > 3 && ["gmt", "utc"].contains(zone.text.prefix(3).lowercased())
        return isOffset ? nil : TimeZone(identifier: zone.text)
    }
}
