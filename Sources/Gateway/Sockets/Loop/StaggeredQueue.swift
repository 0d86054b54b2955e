/// Things to be done over a few seconds, a few at each tick, so that thousands of pages do not come back at once.
public struct StaggeredQueue<Item> {
    private var items: [Item]
    private let perTick: Int

    /// Takes one tick for each 50 items, at most `limit`.
    public init(_ items: [Item], ticks limit: Int) {
        self.items = items
        perTick = items.count / min(limit, max(1, items.count / 50)) + 1
    }

    /// Puts back an item that could not be done yet.
    public mutating func putBack(_ item: Item) {
        items.insert(item, at: 0)
    }

    /// The elements that are due at this tick.
    public mutating func next() -> [Item] {
        let due = items.suffix(perTick)
        items.removeLast(due.count)
        return Array(due)
    }
}
