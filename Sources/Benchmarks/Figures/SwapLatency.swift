import Domain

/// The time from the request of the store, or of the app, until the bytes reach the buyer's page: at a steady rate,
/// with thousands of open pages.
enum SwapLatency: Benchmark {
    static let name = "latency"
    static let pages = 5000
    static let rate = 200
    static let count = 2000

    static func run(_ report: inout Report) throws {
        try add("webhook to page", to: &report) { try PurchaseLoad(count, of: .apple, at: $0, publishers: $1) }
        try add("transaction posted by an app to page", to: &report) {
            try PurchaseLoad(postedByApps: count, at: $0, publishers: $1)
        }
    }

    private static func add(
        _ name: String,
        to report: inout Report,
        purchases: (PaycastTarget, Publishers) throws -> PurchaseLoad
    ) throws {
        let rounds = try (0..<Comparison.rounds).map { _ in
            try with(PaycastTarget.init) { try latencies(from: $0, to: $0, make: purchases).sorted() }
        }
        let figure = "\(name), \(rate)/s, \(pages) pages open"
        for (name, share, limit) in [("p50", 0.5, 2.0), ("p99", 0.99, 10.0)] {
            let value = median(rounds.map { $0[Int(Double($0.count) * share)] })
            report.add(Row(figure: "\(figure), \(name)", unit: "ms", value: value, bound: .atMost(limit)))
        }
    }

    /// Milliseconds for each purchase that one node receives and the same or another node shows.
    static func latencies(
        from target: PaycastTarget,
        to shown: PaycastTarget,
        on loop: LoadLoop = LoadLoop(),
        make: (PaycastTarget, Publishers) throws -> PurchaseLoad
    ) throws -> [Double] {
        let publishers = Publishers(target, on: loop)
        let purchases = try make(target, publishers)
        let listeners = Pages(shown, over: .webSocket) { $0 }
        try listeners.open(pages, on: loop)
        try ProcessFigures(id: shown.process.id).waitUntilIdle(loop)
        var sent = [UInt64](repeating: 0, count: count)
        var latencies: [Double] = []
        listeners.onBytes = { page, _ in
            guard page < count, sent[page] > 0 else { return }
            latencies.append(Double(nanoseconds() - sent[page]) / 1e6)
            sent[page] = 0
        }
        let start = nanoseconds()
        for (page, request) in purchases.requests.enumerated() {
            let due = start + UInt64(page) * 1_000_000_000 / UInt64(rate)
            while nanoseconds() < due { loop.turn(milliseconds: 1) }
            sent[page] = nanoseconds()
            try publishers.send(request)
        }
        try loop.turn(until: "all swaps") { latencies.count == count }
        return latencies
    }
}
