/// Many pages on one stream; the next message goes out once every page has the last one.
enum DenseFanOut: Benchmark {
    static let name = "dense"
    private static let pages = 5000
    private static let messages = 100

    static func run(_ report: inout Report) throws {
        for transport in [Pages.Transport.webSocket, .eventStream, .cable] {
            let comparison = try Comparison { target in
                [try deliveryCost(target, over: target is FloorServerTarget ? .webSocket : transport)]
            }
            let figure = "dense: \(pages) pages on one stream, \(transport.rawValue)"
            report.add(comparison.row(figure, unit: "µs CPU per delivery", bound: .timesFloor(1.2)))
        }
    }

    private static func deliveryCost(_ target: any Target, over transport: Pages.Transport) throws -> Double {
        let loop = LoadLoop()
        let listeners = Pages(target, over: transport) { _ in 0 }
        let publishers = Publishers(target, connections: 1, on: loop)
        let figures = ProcessFigures(id: target.process.id)
        try listeners.open(pages, on: loop)
        try figures.waitUntilIdle(loop, pinging: transport == .cable)
        let before = figures.processorTime
        for number in 1...messages {
            try publishers.send(target.broadcast(timedFragment(number), channel: 0))
            try loop.turn(until: "all deliveries") { listeners.deliveries >= number * pages }
        }
        try publishers.finish()
        return (figures.processorTime - before) / Double(listeners.deliveries)
    }
}
