import Domain
import Simulator

/// Notifications of every store, each for another user: verified, committed durably, sent to the open pages, and
/// answered. For each of Google's, Paycast first calls Google's API. Its stand-in runs in the same server, so the
/// figure includes it.
enum Notifications: Benchmark {
    static let name = "notifications"
    private static let count = 10_000
    private static let pages = 1000

    private struct Figures {
        var rate: Double
        var cost: Double
        /// The CPU time of three verifications, measured immediately before.
        var verifications: Double
    }

    static func run(_ report: inout Report) throws {
        for provider in SimulatedStores.providers {
            for connections in inFlight(provider) {
                try run(&report, provider: provider, connections: connections)
            }
        }
        for connections in inFlight(.apple) { try addBackend(to: &report, connections: connections) }
    }

    /// Google's API is called for each: 250 notifications may wait for it, and more are answered 503. A burst of 256
    /// fits only if threads have already taken some.
    private static func inFlight(_ provider: Provider) -> [Int] {
        switch provider {
        case .apple: [16, 256]
        case .google: [250]
        default: [256]
        }
    }

    private static func run(_ report: inout Report, provider: Provider, connections: Int) throws {
        let rounds = try (0..<Comparison.rounds).map { _ in
            try with(PaycastTarget.init) { try measure($0, provider: provider, connections: connections) }
        }
        let figure = "\(provider) notifications, \(count) users, \(connections) in flight"
        let bound = provider == .apple && connections == 256 ? Row.Bound.atLeast(3000) : .none
        report.add(figure, "per second", median(rounds.map(\.rate)), must: bound)
        var cost = Row(figure: figure, unit: "µs CPU each", value: median(rounds.map(\.cost)))
        if provider == .apple {
            cost.floor = median(rounds.map(\.verifications))
            cost.ratio = median(rounds.map { $0.cost / $0.verifications })
            cost.bound = .timesFloor(2.5)
        }
        report.add(cost)
    }

    /// The same notifications with and without a backend that is told of each, in turns. What the backend itself needs does not
    /// count.
    private static func addBackend(to report: inout Report, connections: Int) throws {
        let rounds = try (0..<Comparison.rounds).map { _ in
            let alone = try with(PaycastTarget.init) { target in
                let loop = LoadLoop()
                return try measure(target, provider: .apple, connections: connections, on: loop) {
                    try ProcessFigures(id: target.process.id).waitUntilIdle(loop)
                }
            }
            let loop = LoadLoop()
            let backend = try Backend(on: loop)
            let told = try with({ try PaycastTarget(in: $0, port: 0, backend: backend.url) }) { target in
                try measure(target, provider: .apple, connections: connections, on: loop) {
                    try loop.turn(until: "the backend to be told") { backend.accepted >= count }
                    try ProcessFigures(id: target.process.id).waitUntilIdle(loop)
                }
            }
            return (floor: alone.cost, value: told.cost)
        }
        report.add(
            Row(
                figure: "apple notifications, \(connections) in flight, with a backend that is told; floor: without",
                unit: "µs CPU each",
                rounds: rounds,
                bound: .timesFloor(1.15)
            )
        )
    }

    /// `end` waits until everything that the notifications cause has happened.
    private static func measure(
        _ target: PaycastTarget,
        provider: Provider,
        connections: Int,
        on loop: LoadLoop = LoadLoop(),
        end: () throws -> Void = {}
    ) throws -> Figures {
        let publishers = Publishers(target, connections: connections, on: loop)
        let purchases = try PurchaseLoad(count, of: provider, at: target, publishers: publishers)
        let listeners = Pages(target, over: .webSocket) { $0 }
        try listeners.open(pages, on: loop)
        let verifications = try Verification.cost()
        let figures = ProcessFigures(id: target.process.id)
        let start = nanoseconds()
        let before = figures.processorTime
        for request in purchases.requests {
            try publishers.send(request)
            loop.turn(milliseconds: 0)
        }
        try publishers.finish()
        let seconds = Double(nanoseconds() - start) / 1e9
        try end()
        return Figures(
            rate: Double(count) / seconds,
            cost: (figures.processorTime - before) / Double(count),
            verifications: verifications
        )
    }
}

/// Apple's notifications one after the other: the time for which a store waits for its answer.
enum LoneNotifications: Benchmark {
    static let name = "lone"
    private static let count = 1000

    static func run(_ report: inout Report) throws {
        let rounds = try (0..<Comparison.rounds).map { _ in
            try with(PaycastTarget.init(in:)) {
                try NotificationRun(count, inFlight: 1, through: [$0]).waits.percentile(0.5)
            }
        }
        let figure = "Apple notifications, one in flight, p50"
        report.add(figure, "ms", median(rounds), must: .atMost(2))
    }
}
