/// How a user reads texts and dates, as the app last said; nil for what it has not said.
public struct UserLocale: Sendable, Hashable {
    public var language: LanguageTag?
    public var timeZone: TimeZoneName?

    public init(language: LanguageTag? = nil, timeZone: TimeZoneName? = nil) {
        self.language = language
        self.timeZone = timeZone
    }

    public static let unknown = UserLocale()

    /// With what was said later, which leaves as it is what it does not mention.
    public func updated(with later: UserLocale) -> UserLocale {
        UserLocale(language: later.language ?? language, timeZone: later.timeZone ?? timeZone)
    }
}

/// A name of the tz database (https://www.iana.org/time-zones), such as `Europe/Berlin`. It has the form of one; whether
/// there is such a zone, is for `ZonedDay` to say.
public struct TimeZoneName: Sendable, Hashable, CustomStringConvertible {
    /// The longest name has 32 bytes.
    private static let longest = 64

    /// 1 to 64 bytes: a letter of ASCII, then letters, digits, `/`, `_`, `-` and `+`. Case matters.
    public let text: String

    public init?(_ text: String) {
        guard text.utf8.count <= TimeZoneName.longest, text.utf8.first?.isLetter == true,
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "/_-+".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    public var description: String { text }
}
