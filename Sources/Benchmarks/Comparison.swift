/// Runs Paycast and the floor in turns on the same machine: only ratios within one run are meaningful.
struct Comparison {
    static let rounds = 3

    private(set) var paycast: [[Double]] = []
    private(set) var floor: [[Double]] = []

    /// `measure` returns the same figures for both.
    init(
        _ start: (String) throws -> PaycastTarget = PaycastTarget.init(in:),
        measure: (any Target) throws -> [Double]
    ) throws {
        for _ in 0..<Comparison.rounds {
            floor.append(try with(FloorServerTarget.init) { try measure($0) })
            paycast.append(try with(start) { try measure($0) })
        }
    }

    /// The median of the rounds.
    func row(_ figure: String, unit: String, index: Int = 0, bound: Row.Bound) -> Row {
        let rounds = zip(floor, paycast).map { (floor: $0[index], value: $1[index]) }
        return Row(figure: figure, unit: unit, rounds: rounds, bound: bound)
    }
}

func median(_ values: [Double]) -> Double {
    values.isEmpty ? .nan : values.sorted()[values.count / 2]
}

extension [Double] {
    /// For sorted values.
    func percentile(_ share: Double) -> Double { isEmpty ? .nan : self[Int(Double(count) * share)] }
}
