/// One thing that is measured.
protocol Benchmark {
    static var name: String { get }
    static func run(_ report: inout Report) throws
}

/// In the order in which they run.
var benchmarks: [any Benchmark.Type] {
    [
        DenseFanOut.self, SparseFanOut.self, OpenPages.self, Notifications.self, SwapLatency.self, StartUp.self,
    ]
}
