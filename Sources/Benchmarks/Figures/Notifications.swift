/// Apple's notifications, each of another user: proven, committed durably, sent to the pages that are open, answered.
enum Notifications: Benchmark {
    static let name = "notifications"
    private static let count = 10_000
    private static let pages = 1000

    static func run(_ report: inout Report) throws {
        let rates = try (0..<Comparison.rounds).map { _ in try with(PaycastTarget.init, rate) }
        let figure = "Apple notifications, \(count) users, 64 in flight"
        report.add(Row(figure: figure, unit: "per second", value: median(rates), bound: .atLeast(3000)))
    }

    private static func rate(_ target: PaycastTarget) throws -> Double {
        let loop = LoadLoop()
        let publishers = Publishers(target, on: loop)
        let purchases = try Purchases(count, at: target, publishers)
        let listeners = Pages(target, .webSocket) { $0 }
        try listeners.open(pages, on: loop)
        let start = nanoseconds()
        for notification in purchases.notifications {
            try publishers.send(notification)
            loop.turn(milliseconds: 0)
        }
        try publishers.finish()
        return Double(count) / (Double(nanoseconds() - start) / 1e9)
    }
}
