public import Domain

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
    private let value: JSONValue

    public init?(_ event: EventStreamParser.Event) {
        guard let value = JSONValue(Array(event.data.utf8)), case .object = value else { return nil }
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
        (value["fragments"]?.items ?? []).map { fragment in
            let target = fragment["target"]?.words ?? fragment["targets"]?.words
            let what = fragment["fragment"]?.words ?? fragment["action"]?.words ?? "?"
            return target.map { "\($0):\(what)" } ?? fragment.words ?? what
        }
    }
}
