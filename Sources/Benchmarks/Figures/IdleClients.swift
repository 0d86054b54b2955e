/// The cost of Action Cable clients while nothing happens: each gets a ping every 3 s.
enum IdleClients: Benchmark {
    static let name = "idle"
    private static let count = 10_000
    private static let seconds = 10.0

    static func run(_ report: inout Report) throws {
        let cost = try with(PaycastTarget.init(in:)) { target in
            let loop = LoadLoop()
            let figures = ProcessFigures(id: target.process.id)
            let clients = Pages(target, over: .cable) { $0 }
            try clients.open(count, on: loop)
            try figures.waitUntilIdle(loop, pinging: true)
            let before = figures.processorTime
            let start = ContinuousClock.now
            try loop.turn(until: "the idle period") { ContinuousClock.now - start > .seconds(seconds) }
            return (figures.processorTime - before) / 1000 / seconds
        }
        report.add("\(count) idle clients of Action Cable", "ms CPU per second", cost)
    }
}
