internal import Domain

/// Every store's notifications, each of another user: proven, committed durably, sent to the pages that are open,
/// answered. Each of Google's asks its API first: the stand-in in the same server, whose share is in the figure.
enum Notifications: Benchmark {
    static let name = "notifications"
    private static let count = 10_000
    private static let pages = 1000
    private static let connections = 256

    static func run(_ report: inout Report) throws {
        for provider in Provider.allCases {
            let rates = try (0..<Comparison.rounds).map { _ in
                try with(PaycastTarget.init) { try measure($0, provider) }
            }
            let figure = "\(provider) notifications, \(count) users, \(connections) in flight"
            let bound = provider == .apple ? Row.Bound.atLeast(3000) : .none
            report.add(Row(figure: figure, unit: "per second", value: median(rates.map(\.rate)), bound: bound))
            report.add(Row(figure: figure, unit: "µs CPU each", value: median(rates.map(\.cost))))
        }
    }

    private static func measure(
        _ target: PaycastTarget,
        _ provider: Provider
    ) throws -> (rate: Double, cost: Double) {
        let loop = LoadLoop()
        let publishers = Publishers(target, connections: connections, on: loop)
        let purchases = try Purchases(count, of: provider, at: target, publishers)
        let listeners = Pages(target, .webSocket) { $0 }
        try listeners.open(pages, on: loop)
        let figures = ProcessFigures(id: target.process.id)
        let (start, before) = (nanoseconds(), figures.processorTime)
        for request in purchases.requests {
            try publishers.send(request)
            loop.turn(milliseconds: 0)
        }
        try publishers.finish()
        let seconds = Double(nanoseconds() - start) / 1e9
        return (Double(count) / seconds, (figures.processorTime - before) / Double(count))
    }
}
