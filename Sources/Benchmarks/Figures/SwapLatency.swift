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
            let value = median(rounds.map { $0.percentile(share) })
            report.add("\(figure), \(name)", "ms", value, must: .atMost(limit))
        }
    }

    /// Milliseconds for each purchase that one node receives and the same or another node shows; of more purchases than
    /// `pages`, every so many has a page. `meanwhile` is called before each with its number and the newest answer.
    static func latencies(
        from target: PaycastTarget,
        to shown: PaycastTarget,
        on loop: LoadLoop = LoadLoop(),
        pages: Int = SwapLatency.pages,
        rate: Int = SwapLatency.rate,
        make: (PaycastTarget, Publishers) throws -> PurchaseLoad,
        meanwhile: (Int, String) throws -> Void = { _, _ in }
    ) throws -> [Double] {
        let publishers = Publishers(target, on: loop)
        let requests = try make(target, publishers).requests
        let stride = max(1, requests.count / pages)
        let listeners = Pages(shown, over: .webSocket) { $0 * stride }
        try listeners.open(pages, on: loop)
        try ProcessFigures(id: shown.process.id).waitUntilIdle(loop)
        var sent = [UInt64](repeating: 0, count: requests.count)
        var latencies: [Double] = []
        listeners.onBytes = { page, _ in
            let number = page * stride
            guard number < sent.count, sent[number] > 0 else { return }
            latencies.append(Double(nanoseconds() - sent[number]) / 1e6)
            sent[number] = 0
        }
        let start = nanoseconds()
        for (number, request) in requests.enumerated() {
            let due = start + UInt64(number) * 1_000_000_000 / UInt64(rate)
            repeat { loop.turn(milliseconds: nanoseconds() < due ? 1 : 0) } while nanoseconds() < due
            try meanwhile(number, publishers.lastAnswer)
            sent[number] = nanoseconds()
            try publishers.send(request)
        }
        try loop.turn(until: "all swaps") { latencies.count == min(pages, requests.count) }
        return latencies
    }
}
