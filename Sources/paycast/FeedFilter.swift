/// Conditions that an entry must meet, all of them.
struct FeedFilter: Equatable {
    private var conditions: [Condition] = []

    private struct Condition: Equatable {
        var field: String
        var value: String
    }

    var isEmpty: Bool { conditions.isEmpty }

    mutating func require(_ field: String, _ value: String) {
        conditions.append(Condition(field: field, value: value))
    }

    /// A type may be written with its subtype: `DID_RENEW/BILLING_RECOVERY`.
    func matches(_ entry: FeedEntry) -> Bool {
        conditions.allSatisfy { condition in
            entry[condition.field] == condition.value || condition.field == "type" && entry.label == condition.value
        }
    }

    /// The same for the server, so that less is sent; it does not know types with subtypes.
    var query: [(name: String, value: String)] {
        conditions.map { condition in
            let isType = condition.field == "type"
            return (condition.field, isType ? String(condition.value.prefix { $0 != "/" }) : condition.value)
        }
    }
}
