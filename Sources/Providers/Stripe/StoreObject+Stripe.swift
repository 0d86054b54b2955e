internal import Domain
internal import JSONText

/// One of Stripe's objects. Members are looked up where they are needed, because their shapes differ with the API's
/// version; one that has another type than expected counts as absent.
struct StripeObject {
    /// What ECMAScript's Date can hold, in seconds.
    private static let dateLimit = 8.64e12

    private let node: JSONNode

    init?(_ node: JSONNode?) {
        guard let node, node.isObject else { return nil }
        self.node = node
    }

    func has(_ name: String) -> Bool { node[name] != nil }

    /// True when the member is there and says something.
    func states(_ name: String) -> Bool { node[name].map { $0 != .null } ?? false }

    /// True for a list without entries, and for none at all.
    func isEmpty(_ name: String) -> Bool {
        guard case .array(let items)? = node[name] else { return true }
        return items.isEmpty
    }

    subscript(_ path: String...) -> JSONNode? {
        path.reduce(Optional(node)) { $0?[$1] }
    }

    func object(_ path: String...) -> StripeObject? {
        StripeObject(path.reduce(Optional(node)) { $0?[$1] })
    }

    /// Text that may be stored and shown.
    func text(_ name: String) -> String? {
        node[name]?.text.flatMap { isPlain($0) ? $0 : nil }
    }

    func flag(_ name: String) -> Bool? { node[name]?.boolean }

    func integer(_ name: String) -> Int64? { node[name]?.integer }

    /// An object's id, whether the object was expanded in its place or not.
    func id(_ name: String) -> String? {
        text(name) ?? object(name)?.text("id")
    }

    /// Seconds since 1970. Text is no date, nor is a number beyond all calendars.
    func date(_ name: String) -> Instant? {
        guard case .number(let digits)? = node[name], let seconds = Double(String(decoding: digits, as: UTF8.self)),
            abs(seconds) <= StripeObject.dateLimit
        else { return nil }
        return Instant(milliseconds: Int64(seconds.rounded(.down)) * 1000)
    }

    /// A list object's entries, or an array's: as many as Stripe includes in an event.
    func list(_ name: String) -> [StripeObject] {
        let member = node[name]
        guard case .array(let items)? = member?["data"] ?? member else { return [] }
        return items.prefix(100).compactMap { StripeObject($0) }
    }

    /// The order's token in the metadata.
    var token: OrderToken? {
        guard let metadata = object("metadata") else { return nil }
        return ["order", "paycast_order"].lazy.compactMap { metadata.text($0) }.compactMap { OrderToken($0) }.first
    }

    /// What the metadata say is sold, where Stripe itself does not.
    var namedProduct: String? { object("metadata")?.text("product") }
}
