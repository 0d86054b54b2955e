/// One line of the table.
struct Row {
    /// The limit that the project must meet.
    enum Bound {
        case timesFloor(Double)
        /// For a figure that should be high.
        case atLeastTimesFloor(Double)
        case atMost(Double)
        case atLeast(Double)
        case none
    }

    let figure: String
    let unit: String
    let value: Double
    var floor: Double?
    var ratio: Double?
    var bound = Bound.none

    var cells: [String] {
        let (must, isReached): (String, Bool?) =
            switch bound {
            case .timesFloor(let limit): ("≤ \(decimal(limit)) × floor", (ratio ?? .infinity) <= limit)
            case .atLeastTimesFloor(let limit): ("≥ \(decimal(limit)) × floor", (ratio ?? 0) >= limit)
            case .atMost(let limit): ("≤ \(decimal(limit))", value <= limit)
            case .atLeast(let limit): ("≥ \(decimal(limit))", value >= limit)
            case .none: ("", nil)
            }
        let verdict = isReached.map { $0 ? "ok" : "MISSED" } ?? ""
        return [figure, unit, decimal(value), floor.map(decimal) ?? "", ratio.map(decimal) ?? "", must, verdict]
    }
}

extension Row {
    /// The medians of rounds in each of which the floor was measured, too.
    init(figure: String, unit: String, rounds: [(floor: Double, value: Double)], bound: Bound = .none) {
        self.init(
            figure: figure,
            unit: unit,
            value: median(rounds.map(\.value)),
            floor: median(rounds.map(\.floor)),
            ratio: median(rounds.map { $0.value / $0.floor }),
            bound: bound
        )
    }
}

/// The table that the program prints.
struct Report {
    private var rows: [Row] = []
    private var remarks: [String] = []

    mutating func add(_ row: Row) {
        rows.append(row)
    }

    mutating func add(_ figure: String, _ unit: String, _ value: Double, must bound: Row.Bound = .none) {
        rows.append(Row(figure: figure, unit: unit, value: value, bound: bound))
    }

    /// A row for each of the named shares.
    mutating func add(_ figure: String, _ unit: String, of values: [Double], _ shares: KeyValuePairs<String, Double>) {
        let sorted = values.sorted()
        for (name, share) in shares { add("\(figure), \(name)", unit, sorted.percentile(share)) }
    }

    /// Adds a sentence below the table.
    mutating func remark(_ text: String) {
        remarks.append(text)
    }

    var table: String {
        let head = ["figure", "unit", "Paycast", "floor", "ratio", "must reach", ""]
        let lines = [head, head.map { String(repeating: "-", count: $0.count) }] + rows.map(\.cells)
        let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let table = lines.map { cells in
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        return (table + remarks.map { "\n" + $0 }).joined(separator: "\n")
    }
}

/// Two decimals below 100, none from 100 on.
func decimal(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    guard value.magnitude < 100 else { return String(Int(value.rounded())) }
    let hundredths = Int((value * 100).rounded())
    let fraction = String(hundredths.magnitude % 100 + 100).dropFirst()
    return (value < 0 ? "-" : "") + "\(hundredths.magnitude / 100).\(fraction)"
}
