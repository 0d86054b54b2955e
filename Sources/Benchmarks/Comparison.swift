/// Two things measured in turns on the same machine: only ratios within one run are meaningful.
struct Comparison {
    static let rounds = 3

    private var rounds: [(floor: [Double], value: [Double])] = []

    /// Both return the same figures.
    init(floor: () throws -> [Double], paycast: () throws -> [Double]) throws {
        for _ in 0..<Comparison.rounds { rounds.append((floor: try floor(), value: try paycast())) }
    }

    /// Paycast beside the floor.
    init(
        _ start: (String) throws -> PaycastTarget = PaycastTarget.init(in:),
        measure: (any Target) throws -> [Double]
    ) throws {
        try self.init(
            floor: { try with(FloorServerTarget.init) { try measure($0) } },
            paycast: { try with(start) { try measure($0) } }
        )
    }

    /// The median of the rounds.
    func row(_ figure: String, unit: String, index: Int = 0, bound: Row.Bound) -> Row {
        let rounds = rounds.map { (floor: $0.floor[index], value: $0.value[index]) }
        return Row(figure: figure, unit: unit, rounds: rounds, bound: bound)
    }
}

func median(_ values: [Double]) -> Double {
    values.isEmpty ? .nan : values.sorted()[values.count / 2]
}

extension [Double] {
    /// For sorted values.
    func percentile(_ share: Double) -> Double {
        isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
