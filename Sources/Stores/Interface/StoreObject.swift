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

    public init(_ body: [UInt8]) throws(VerificationError) {
        node = try StrictJSON.object(body)
    }

    public subscript(_ path: String...) -> JSONNode? {
        path.reduce(Optional(node)) { $0?[$1] }
    }

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

    /// A price in thousandths; nil if it is not a price, or too large.
    public func thousandths(_ name: String) -> Int64? {
        guard case .number(let digits)? = node[name], let price = Double(String(decoding: digits, as: UTF8.self)),
            abs(price) < 9e12
        else { return nil }
        return Int64((price * 1000).rounded())
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
