/// The newest positions in several lists. Each list holds one position more than a page, or everything that it has.
public struct NewestPositions {
    private let limit: Int
    private var found: Set<Int64> = []
    /// Below this position, one of the lists may have positions that were not read.
    private var floor: Int64 = 0

    public init(limit: Int) {
        self.limit = limit
    }

    /// `positions` are in descending order.
    public mutating func add(_ positions: [Int64]) {
        found.formUnion(positions)
        if positions.count > limit, let last = positions.last { floor = max(floor, last) }
    }

    private var known: [Int64] { found.filter { $0 >= floor }.sorted(by: >) }

    public var page: [Int64] { Array(known.prefix(limit)) }

    public var hasMore: Bool { floor > 0 || known.count > limit }
}
