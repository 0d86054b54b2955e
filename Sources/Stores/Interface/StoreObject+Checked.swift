public import Domain
internal import Encoding

/// For stores that state contracts member by member. An invalid member throws, so that it does not count as one that
/// was left out. An absent or `null` member is nil.
extension StoreObject {
    /// From 1970 to the end of the year 9999, the last one that a page can show in four digits.
    private static let checkedDates = 0...253_402_300_799_999.0

    /// Text that may be stored and shown.
    public func checkedText(_ name: String, limit: Int = 255) throws(VerificationError) -> String? {
        guard has(name) else { return nil }
        guard let text = text(name, limit: limit) else { throw .malformed(.invalidPayload) }
        return text
    }

    /// An id, which some apps write as a number.
    public func checkedID(_ name: String, limit: Int = 255) throws(VerificationError) -> String? {
        guard case .number(let digits)? = self[name] else { return try checkedText(name, limit: limit) }
        guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { throw .malformed(.invalidPayload) }
        return String(number)
    }

    /// Milliseconds since 1970; a fraction is cut off. Text is not a date.
    public func checkedMilliseconds(_ name: String) throws(VerificationError) -> Instant? {
        guard has(name) else { return nil }
        guard case .number(let digits)? = self[name],
            let milliseconds = Double(String(decoding: digits, as: UTF8.self)),
            StoreObject.checkedDates.contains(milliseconds)
        else { throw .malformed(.invalidPayload) }
        return Instant(milliseconds: Int64(milliseconds))
    }

    /// An ISO 8601 date, not before 1970.
    public func checkedDate(_ name: String) throws(VerificationError) -> Instant? {
        guard let text = try checkedText(name) else { return nil }
        guard let date = Instant(iso8601: text), date.milliseconds >= 0 else { throw .malformed(.invalidPayload) }
        return date
    }
}
