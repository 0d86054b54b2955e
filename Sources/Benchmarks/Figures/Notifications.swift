/// Apple's notifications, each of another user: proven, committed durably, sent to the pages that are open, answered.
enum Notifications: Benchmark {
    static let name = "notifications"
    private static let count = 10_000
    private static let pages = 1000
    private static let connections = 256

    static func run(_ report: inout Report) throws {
        let rates = try (0..<Comparison.rounds).map { _ in try with(PaycastTarget.init, measure) }
        let figure = "Apple notifications, \(count) users, \(connections) in flight"
        report.add(Row(figure: figure, unit: "per second", value: median(rates.map(\.rate)), bound: .atLeast(3000)))
        report.add(Row(figure: figure, unit: "µs CPU each", value: median(rates.map(\.cost))))
    }

    private static func measure(_ target: PaycastTarget) throws -> (rate: Double, cost: Double) {
        let loop = LoadLoop()
        let publishers = Publishers(target, connections: connections, on: loop)
        let purchases = try Purchases(count, at: target, publishers)
        let listeners = Pages(target, .webSocket) { $0 }
        try listeners.open(pages, on: loop)
        let figures = ProcessFigures(id: target.process.id)
        let (start, before) = (nanoseconds(), figures.processorTime)
        for notification in purchases.notifications {
            try publishers.send(notification)
            loop.turn(milliseconds: 0)
        }
        try publishers.finish()
        let seconds = Double(nanoseconds() - start) / 1e9
        return (Double(count) / seconds, (figures.processorTime - before) / Double(count))
    }
}
