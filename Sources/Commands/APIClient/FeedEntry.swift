public import Domain
import Encoding

/// One committed event as `/feed` reports it: a JSON object whose members have the ledger's names.
public struct FeedEntry: Sendable {
    /// The fields that filters and `--until` accept.
    public static let fields = [
        "cursor", "at", "kind", "provider", "environment", "type", "subtype", "event", "outcome", "user",
        "contract", "order", "product", "previous_state", "state", "active", "access_until", "reason",
    ]

    /// The JSON as received, on one line.
    public let json: String
    /// Nil if the server does not send it; then a repetition cannot be recognized.
    public let cursor: Cursor?
    private let value: JSONNode

    public init?(_ event: EventStreamParser.Event) {
        guard let value = JSONNode(event.data), value.isObject else { return nil }
        self.value = value
        // A line break in JSON can only stand between tokens.
        json = event.data.split(whereSeparator: \.isNewline).joined(separator: " ")
        cursor = Cursor(value["cursor"]?.words ?? event.id)
    }

    public subscript(field: String) -> String? {
        field == "cursor" ? cursor?.description : value[field]?.words
    }

    /// `TYPE/SUBTYPE` in the store's words, or our own word if the entry does not come from a store.
    public var label: String {
        guard let type = self["type"] else { return self["kind"] ?? "?" }
        return self["subtype"].map { "\(type)/\($0)" } ?? type
    }

    /// The fragments that were sent to pages, such as `paywall:success`.
    public var fragments: [String] {
        guard case .array(let fragments)? = value["fragments"] else { return [] }
        return fragments.map { fragment in
            let target = fragment["target"]?.words ?? fragment["targets"]?.words
            let what = fragment["fragment"]?.words ?? fragment["action"]?.words ?? "?"
            return target.map { "\($0):\(what)" } ?? fragment.words ?? what
        }
    }
}

/// For answers whose members are displayed rather than interpreted.
extension JSONNode {
    /// A scalar as words; nil for null, arrays and objects.
    var words: String? {
        switch self {
        case .boolean(let value): "\(value)"
        case .number(let digits): String(decoding: digits, as: UTF8.self)
        case .string: text
        case .null, .array, .object: nil
        }
    }

    /// The same JSON on one line, without spaces.
    var json: String {
        switch self {
        case .null: return "null"
        case .boolean(let value): return "\(value)"
        case .number(let digits): return String(decoding: digits, as: UTF8.self)
        case .string(let body): return "\"\(String(decoding: body, as: UTF8.self))\""
        case .array(let items): return "[\(items.map(\.json).joined(separator: ","))]"
        case .object(let members):
            let pairs = members.map { "\(JSONLiteral.literal($0.name ?? "")):\($0.value.json)" }
            return "{\(pairs.joined(separator: ","))}"
        }
    }
}
