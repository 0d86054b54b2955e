/// As many streams as pages, and 64 publishers that never wait for each other.
enum SparseFanOut: Benchmark {
    static let name = "sparse"
    private static let pages = 10_000
    private static let messages = 40_000

    static func run(_ report: inout Report) throws {
        let figure = "sparse: \(pages) streams, one page each, 64 publishers"
        var costs: [Double] = []
        for loops in [2, 1] {
            let comparison = try Comparison({ try PaycastTarget(in: $0, port: 0, loops: loops) }) { target in
                [try deliveryCost(target)]
            }
            let unit = "µs CPU per delivery"
            let row = comparison.row("\(figure), loops: \(loops)", unit: unit, bound: .timesFloor(1.4))
            report.add(row)
            costs.append(row.value)
        }
        // With two loops, every second page belongs to the other loop.
        let detour = 2 * (costs[0] - costs[1])
        report.add("a page of the other loop", "µs CPU more", detour, must: .atMost(6))
    }

    private static func deliveryCost(_ target: any Target) throws -> Double {
        let loop = LoadLoop()
        let listeners = Pages(target, over: .webSocket) { $0 }
        let publishers = Publishers(target, on: loop)
        let figures = ProcessFigures(id: target.process.id)
        try listeners.open(pages, on: loop)
        try figures.waitUntilIdle(loop)
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
