/// The cost of connecting a page and keeping it open, for few and for many pages.
enum OpenPages: Benchmark {
    static let name = "open"
    private static let counts = [1000, 5000, 10_000]

    static func run(_ report: inout Report) throws {
        try run(&report, over: .webSocket, bound: 2.5)
        try run(&report, over: .eventStream, bound: 2)
        try run(&report, over: .cable, bound: 4)
    }

    private static func run(_ report: inout Report, over transport: Pages.Transport, bound: Double) throws {
        for count in counts {
            let comparison = try Comparison { target in
                try cost(target, over: target is FloorServerTarget ? .webSocket : transport, count: count)
            }
            let figure = "connect and subscribe, \(count) pages, \(transport.rawValue)"
            report.add(comparison.row(figure, unit: "µs CPU each", bound: .timesFloor(bound)))
            guard count == counts.last else { continue }
            let memory = comparison.row(
                "hold \(count) pages, \(transport.rawValue)",
                unit: "KB each",
                index: 1,
                bound: .atMost(4)
            )
            report.add(memory)
        }
    }

    private static func cost(_ target: any Target, over transport: Pages.Transport, count: Int) throws -> [Double] {
        let loop = LoadLoop()
        let figures = ProcessFigures(id: target.process.id)
        try figures.waitUntilIdle(loop)
        let before = (figures.processorTime, figures.residentMemory)
        let pages = Pages(target, over: transport) { $0 }
        try pages.open(count, on: loop)
        try figures.waitUntilIdle(loop, pinging: transport == .cable)
        let time = figures.processorTime - before.0
        let memory = figures.residentMemory - before.1
        return [time / Double(pages.ready), memory / Double(pages.ready)]
    }
}
