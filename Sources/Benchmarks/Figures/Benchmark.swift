/// One benchmark.
protocol Benchmark {
    static var name: String { get }
    static func run(_ report: inout Report) throws
}

/// In the order in which they run.
var benchmarks: [any Benchmark.Type] {
    measurements + nodes + holes
}

/// Benchmarks with a target figure.
private var measurements: [any Benchmark.Type] {
    [
        DenseFanOut.self, SparseFanOut.self, OpenPages.self, IdleClients.self, Notifications.self,
        LoneNotifications.self, DiskUse.self, SwapLatency.self, BackendOutage.self, StartUp.self,
        LongHistory.self, OpenConsoles.self,
    ]
}

/// Benchmarks of several servers on one ledger in PostgreSQL.
var nodes: [any Benchmark.Type] {
    [SharedLedger.self, Fleet.self, NodeLoss.self]
}

/// Benchmarks that require every page to show the newest state, whatever happens to its connection.
var holes: [any Benchmark.Type] {
    [EventsBeforeSubscribing.self, NetworkDrops.self, RestartAvalanche.self, SlowPages.self]
}
