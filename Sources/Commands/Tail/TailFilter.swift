internal import Domain

/// What `tail` follows: entries of the feed, or messages of a page.
protocol Followed {
    /// Nil if the server does not say it; then a repetition cannot be recognized.
    var cursor: Cursor? { get }
    func has(_ value: String, for field: String) -> Bool
}

extension FeedEntry: Followed {
    /// A type may be written with its subtype: `DID_RENEW/BILLING_RECOVERY`.
    func has(_ value: String, for field: String) -> Bool { self[field] == value || field == "type" && label == value }
}

/// Conditions, all of which an item must meet.
struct TailFilter: Equatable {
    private var conditions: [Condition] = []

    private struct Condition: Equatable {
        var field: String
        /// The entry must have one of these values.
        var values: [String]
    }

    var isEmpty: Bool { conditions.isEmpty }

    mutating func require(_ field: String, is value: String) { require(field, anyOf: [value]) }

    /// An empty list adds no condition.
    mutating func require(_ field: String, anyOf values: [String]) {
        if !values.isEmpty { conditions.append(Condition(field: field, values: values)) }
    }

    func matches(_ item: some Followed) -> Bool {
        conditions.allSatisfy { condition in condition.values.contains { item.has($0, for: condition.field) } }
    }

    /// The same conditions for the server, so that it sends less. It supports neither subtypes nor several values.
    var query: [(name: String, value: String)] {
        conditions.filter { $0.values.count == 1 }.map { condition in
            let isType = condition.field == "type"
            return (condition.field, isType ? String(condition.values[0].prefix { $0 != "/" }) : condition.values[0])
        }
    }
}
