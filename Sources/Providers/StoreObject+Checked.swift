internal import Domain
internal import JSONText

/// The members of a store's JSON object. What is stated but cannot be what it should be is refused; what is absent, or
/// `null`, is nil.
struct StoreFields {
    /// From 1970 to the last day that a page can show in four digits.
    private static let dates = 0...253_402_300_799_999.0

    private let node: JSONNode

    init?(_ node: JSONNode?) {
        guard let node, node.isObject else { return nil }
        self.node = node
    }

    /// Text that may be stored and shown.
    func text(_ name: String, limit: Int = 255) throws(VerificationError) -> String? {
        guard let value = stated(name) else { return nil }
        guard let text = value.text, isPlain(text, limit: limit) else { throw .malformed(.invalidPayload) }
        return text
    }

    /// An id, which some apps write as a number.
    func id(_ name: String, limit: Int = 255) throws(VerificationError) -> String? {
        guard case .number(let digits)? = node[name] else { return try text(name, limit: limit) }
        guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { throw .malformed(.invalidPayload) }
        return String(number)
    }

    /// Milliseconds since 1970; a fraction is cut off. Text is no date.
    func date(_ name: String) throws(VerificationError) -> Instant? {
        guard let value = stated(name) else { return nil }
        guard case .number(let digits) = value, let milliseconds = Double(String(decoding: digits, as: UTF8.self)),
            StoreFields.dates.contains(milliseconds)
        else { throw .malformed(.invalidPayload) }
        return Instant(milliseconds: Int64(milliseconds))
    }

    /// A date of ISO 8601, not before 1970.
    func writtenDate(_ name: String) throws(VerificationError) -> Instant? {
        guard let text = try text(name) else { return nil }
        guard let date = Instant(iso8601: text), date.milliseconds >= 0 else { throw .malformed(.invalidPayload) }
        return date
    }

    func flag(_ name: String) -> Bool { node[name]?.boolean ?? false }

    /// Thousandths of a price; nil when it is none, or too large to count.
    func thousandths(_ name: String) -> Int64? {
        guard case .number(let digits)? = node[name], let price = Double(String(decoding: digits, as: UTF8.self)),
            abs(price) < 9e12
        else { return nil }
        return Int64((price * 1000).rounded())
    }

    /// A word to show, where nothing depends on it.
    func word(_ name: String) -> String? {
        node[name]?.text.flatMap { isPlain($0) ? $0 : nil }
    }

    /// The plain texts of a list, as far as `limit`.
    func words(_ name: String, limit: Int = 256) -> [String] {
        guard case .array(let items)? = node[name] else { return [] }
        return items.prefix(limit).compactMap { item in item.text.flatMap { isPlain($0) ? $0 : nil } }
    }

    func object(_ name: String) -> StoreFields? { StoreFields(node[name]) }

    private func stated(_ name: String) -> JSONNode? {
        node[name].flatMap { $0 == .null ? nil : $0 }
    }
}
