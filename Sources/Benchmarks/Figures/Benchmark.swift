/// One thing that is measured.
protocol Benchmark {
    static var name: String { get }
    static func run(_ report: inout Report) throws
}

/// In the order in which they run.
var benchmarks: [any Benchmark.Type] {
    measurements + holes
}

/// What is held to a figure.
private var measurements: [any Benchmark.Type] {
    [
        DenseFanOut.self, SparseFanOut.self, OpenPages.self, IdleClients.self, Notifications.self,
        LoneNotifications.self, SwapLatency.self, StartUp.self, LongHistory.self,
    ]
}

/// What is held to showing every page the newest state, whatever happens to its connection.
var holes: [any Benchmark.Type] {
    [BornStale.self, Jitter.self, Avalanche.self, Sleep.self, Slow.self]
}
