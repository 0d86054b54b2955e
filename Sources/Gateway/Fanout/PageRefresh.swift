internal import Hub

/// The pages that are still to be told to reload.
struct PageRefresh {
    private var pages: StaggeredQueue<SubscriptionID>
    /// The entry that they are told of; nil if it has no position in the ledger.
    let gap: Int64?

    init(of pages: [SubscriptionID] = [], gap: Int64? = nil) {
        self.pages = StaggeredQueue(pages)
        self.gap = gap
    }

    /// The pages to tell at this tick.
    mutating func next() -> [SubscriptionID] { pages.next() }

    /// This page cannot be told yet.
    mutating func putBack(_ page: SubscriptionID) {
        pages.putBack(page)
    }
}
