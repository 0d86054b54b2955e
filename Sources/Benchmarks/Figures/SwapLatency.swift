/// From the store's request to the bytes at the buyer's page, at a steady rate, while thousands of pages are open.
enum SwapLatency: Benchmark {
    static let name = "latency"
    private static let pages = 5000
    private static let rate = 200
    private static let count = 2000

    static func run(_ report: inout Report) throws {
        let rounds = try (0..<Comparison.rounds).map { _ in try with(PaycastTarget.init, latencies).sorted() }
        let figure = "webhook to page, \(rate)/s, \(pages) pages open"
        for (name, share, limit) in [("p50", 0.5, 2.0), ("p99", 0.99, 10.0)] {
            let value = median(rounds.map { $0[Int(Double($0.count) * share)] })
            report.add(Row(figure: "\(figure), \(name)", unit: "ms", value: value, bound: .atMost(limit)))
        }
    }

    /// Milliseconds, one for each notification.
    private static func latencies(_ target: PaycastTarget) throws -> [Double] {
        let loop = LoadLoop()
        let publishers = Publishers(target, on: loop)
        let purchases = try Purchases(count, at: target, publishers)
        let listeners = Pages(target, .webSocket) { $0 }
        try listeners.open(pages, on: loop)
        try ProcessFigures(id: target.process.id).settle(loop)
        var sent = [UInt64](repeating: 0, count: count)
        var latencies: [Double] = []
        listeners.onBytes = { page, _ in
            guard page < count, sent[page] > 0 else { return }
            latencies.append(Double(nanoseconds() - sent[page]) / 1e6)
            sent[page] = 0
        }
        let start = nanoseconds()
        for (page, notification) in purchases.notifications.enumerated() {
            let due = start + UInt64(page) * 1_000_000_000 / UInt64(rate)
            while nanoseconds() < due { loop.turn(milliseconds: 1) }
            sent[page] = nanoseconds()
            try publishers.send(notification)
        }
        try loop.turn(until: "all swaps") { latencies.count == count }
        return latencies
    }
}
