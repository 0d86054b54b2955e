/// Things to be done over a few seconds, a few at each tick, so that thousands of pages do not come back at once.
struct StaggeredQueue<Item> {
    private var items: [Item]
    private let perTick: Int

    /// Takes one tick for each 50 items, at most 3 s.
    init(_ items: [Item]) {
        self.items = items
        let ticks = min(LoopSettings.spreadTicks, max(1, items.count / 50))
        perTick = items.count / ticks + 1
    }

    var isEmpty: Bool { items.isEmpty }

    /// Puts back an item that could not be done yet.
    mutating func putBack(_ item: Item) {
        items.insert(item, at: 0)
    }

    /// What is due at this tick.
    mutating func next() -> [Item] {
        let due = items.suffix(perTick)
        items.removeLast(due.count)
        return Array(due)
    }
}
