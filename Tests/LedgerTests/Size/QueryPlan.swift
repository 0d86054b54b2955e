import Foundation

/// A node of the plan that PostgreSQL's `EXPLAIN (FORMAT JSON)` prints.
struct QueryPlan: Decodable {
    var type: String
    var relation: String?
    var index: String?
    var condition: String?
    var filter: String?
    var removed: Int?
    var parts: [QueryPlan]?

    private enum CodingKeys: String, CodingKey {
        case type = "Node Type"
        case relation = "Relation Name"
        case index = "Index Name"
        case condition = "Index Cond"
        case filter = "Filter"
        case removed = "Subplans Removed"
        case parts = "Plans"
    }

    private struct Explained: Decodable {
        var plan: QueryPlan

        private enum CodingKeys: String, CodingKey {
            case plan = "Plan"
        }
    }

    init(json: String) throws {
        self = try JSONDecoder().decode([Explained].self, from: Data(json.utf8))[0].plan
    }

    /// What reads more of a table the larger the table is. Below a LIMIT, an index may be walked in its order, as long as
    /// nothing is passed over. A join may choose to walk through a partition of `reserve` while that is empty: it is planned
    /// anew once autovacuum has looked at the first rows, within a minute.
    func growing(isLimited: Bool = false, reserve: Set<String>) -> [String] {
        let place = index ?? relation ?? ""
        var found: [String] = []
        switch type {
        case "Seq Scan": found.append("reads all of \(place)")
        case "Index Scan", "Index Only Scan":
            if condition == nil, filter != nil || !isLimited { found.append("walks through \(place)") }
        case "Bitmap Index Scan": if condition == nil { found.append("walks through \(place)") }
        default: break
        }
        if reserve.contains(relation ?? "") { found = [] }
        let limits = isLimited || type == "Limit"
        return found + (parts ?? []).flatMap { $0.growing(isLimited: limits, reserve: reserve) }
    }

    /// How many partitions were left out when the statement ran.
    var pruned: Int { (removed ?? 0) + (parts ?? []).reduce(0) { $0 + $1.pruned } }
}
