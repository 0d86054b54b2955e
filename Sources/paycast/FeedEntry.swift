internal import Domain

/// One committed event as `/feed` tells it: a JSON object whose members are named like the words of the ledger.
struct FeedEntry: Sendable {
    /// What filters and `--until` may name.
    static let fields = [
        "cursor", "at", "kind", "provider", "environment", "type", "subtype", "event", "outcome", "user",
        "contract", "order", "product", "previous_state", "state", "active", "access_until", "reason",
    ]

    /// As it was received, on one line.
    let json: String
    /// Nil when the server does not say; then it cannot be told from a repetition.
    let cursor: Cursor?
    private let value: JSONValue

    init?(_ event: EventStreamParser.Event) {
        guard let value = JSONValue(Array(event.data.utf8)), case .object = value else { return nil }
        self.value = value
        // A line break in JSON can only stand between tokens.
        json = event.data.split(whereSeparator: \.isNewline).joined(separator: " ")
        cursor = Cursor(value["cursor"]?.words ?? event.id)
    }

    subscript(field: String) -> String? {
        field == "cursor" ? cursor?.description : value[field]?.words
    }

    /// `TYPE/SUBTYPE` in the store's words, or our own word when no store said it.
    var label: String {
        guard let type = self["type"] else { return self["kind"] ?? "?" }
        return self["subtype"].map { "\(type)/\($0)" } ?? type
    }

    /// What was sent to pages: `paywall:success`.
    var fragments: [String] {
        (value["fragments"]?.items ?? []).map { fragment in
            let target = fragment["target"]?.words ?? fragment["targets"]?.words
            let what = fragment["fragment"]?.words ?? fragment["action"]?.words ?? "?"
            return target.map { "\($0):\(what)" } ?? fragment.words ?? what
        }
    }
}
