public import Domain
public import Encoding

/// An object in a store's JSON. A member of an unexpected type counts as absent. Where that could wrongly open or end
/// access, use the checked lookups, which throw.
public struct StoreObject: Sendable {
    private let node: JSONNode

    public init?(_ node: JSONNode?) {
        guard let node, node.isObject else { return nil }
        self.node = node
    }

    /// Reads a store's document as JSON, and refuses repeated members.
    public init(_ body: [UInt8]) throws(VerificationError) {
        do throws(JSONObjectError) {
            node = try JSONNode.object(strictly: body)
        } catch {
            throw .malformed(error == .repeatedMember ? .duplicateMember : .invalidJSON)
        }
    }

    public subscript(_ name: String) -> JSONNode? { node[name] }

    /// True when the member is present and not `null`.
    public func has(_ name: String) -> Bool { node[name].map { $0 != .null } ?? false }

    public func object(_ path: String...) -> StoreObject? {
        StoreObject(path.reduce(Optional(node)) { $0?[$1] })
    }

    /// An array's objects, 100 at most: no store sends more.
    public func objects(_ name: String) -> [StoreObject] {
        guard case .array(let items)? = node[name] else { return [] }
        return items.prefix(100).compactMap { StoreObject($0) }
    }

    /// Text that may be stored and shown.
    public func text(_ name: String, limit: Int = 255) -> String? {
        node[name]?.text.flatMap { isValidIdentifier($0, limit: limit) ? $0 : nil }
    }

    /// Texts of an array that may be stored and shown, among its first `limit` items.
    public func texts(_ name: String, limit: Int = 256) -> [String] {
        guard case .array(let items)? = node[name] else { return [] }
        return items.prefix(limit).compactMap { item in item.text.flatMap { isValidIdentifier($0) ? $0 : nil } }
    }

    public func flag(_ name: String) -> Bool? { node[name]?.boolean }

    /// Google writes 64-bit numbers as text (https://protobuf.dev/programming-guides/json/).
    public func integer(_ name: String) -> Int64? { node[name].flatMap { $0.integer ?? $0.text.flatMap { Int64($0) } } }

    /// Text is not a number.
    func number(_ name: String) -> Double? {
        guard case .number(let digits)? = node[name] else { return nil }
        return Double(String(decoding: digits, as: UTF8.self))
    }

    /// A price in thousandths; nil if it is not a price, or too large.
    public func thousandths(_ name: String) -> Int64? {
        number(name).flatMap { abs($0) < 9e12 ? Int64(($0 * 1000).rounded()) : nil }
    }

    /// The range of ECMAScript's Date.
    private static let dates = Int64(-8_640_000_000_000_000)...8_640_000_000_000_000

    /// Milliseconds since 1970, in the range of `dates`.
    public func milliseconds(_ name: String) -> Instant? {
        integer(name).flatMap { StoreObject.dates.contains($0) ? Instant(milliseconds: $0) : nil }
    }

    /// RFC 3339.
    public func date(_ name: String) -> Instant? { node[name]?.text.flatMap { Instant(iso8601: $0) } }
}

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
        guard let milliseconds = number(name), StoreObject.checkedDates.contains(milliseconds) else {
            throw .malformed(.invalidPayload)
        }
        return Instant(milliseconds: Int64(milliseconds))
    }

    /// An ISO 8601 date, not before 1970.
    public func checkedDate(_ name: String) throws(VerificationError) -> Instant? {
        guard let text = try checkedText(name) else { return nil }
        guard let date = Instant(iso8601: text), date.milliseconds >= 0 else { throw .malformed(.invalidPayload) }
        return date
    }
}

extension Snapshot {
    /// The state of a one-time purchase. If it is revoked, access ended at `date`.
    static func of(_ state: ContractState, product: String, at date: Instant) -> Snapshot {
        let end = state == .revoked ? date : nil
        return Snapshot(state: state, product: product, autoRenew: false, accessUntil: end, signedAt: date)
    }
}

extension Catalog {
    /// The kind of a product that is bought once: neither Stripe nor Google tells kinds apart. By default, it stays forever.
    func kind(bought product: String?) -> ProductKind {
        guard let kind = product.flatMap({ self[$0]?.kind }), kind != .subscription else { return .nonConsumable }
        return kind
    }
}
