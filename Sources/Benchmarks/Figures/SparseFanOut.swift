/// As many streams as pages; 64 publishers that never wait for each other.
enum SparseFanOut: Benchmark {
    static let name = "sparse"
    private static let pages = 10_000
    private static let messages = 40_000

    static func run(_ report: inout Report) throws {
        let comparison = try Comparison { target in [try deliveryCost(target)] }
        let figure = "sparse: \(pages) streams, one page each, 64 publishers"
        report.add(comparison.row(figure, unit: "µs CPU per delivery", bound: .timesFloor(1.6)))
    }

    private static func deliveryCost(_ target: any Target) throws -> Double {
        let loop = LoadLoop()
        let listeners = Pages(target, .webSocket) { $0 }
        let publishers = Publishers(target, on: loop)
        let figures = ProcessFigures(id: target.process.id)
        try listeners.open(pages, on: loop)
        try figures.settle(loop)
        let before = figures.processorTime
        for number in 0..<messages {
            try publishers.send(target.broadcast(timedFragment(number), channel: number % pages))
            loop.turn(milliseconds: 0)
        }
        try publishers.finish()
        try loop.turn(until: "all deliveries") { listeners.deliveries >= messages }
        return (figures.processorTime - before) / Double(listeners.deliveries)
    }
}
