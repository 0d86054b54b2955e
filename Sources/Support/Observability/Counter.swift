internal import Synchronization

/// A number that only grows.
public final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    public init() {}

    public func add(_ amount: Int = 1) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    public var value: Int { count.load(ordering: .relaxed) }
}

/// A number that goes up and down.
public final class Gauge: Sendable {
    private let level = Atomic<Int>(0)

    public init() {}

    public func add(_ amount: Int) {
        level.wrappingAdd(amount, ordering: .relaxed)
    }

    public func set(_ value: Int) {
        level.store(value, ordering: .relaxed)
    }

    public var value: Int { level.load(ordering: .relaxed) }
}

/// Durations in buckets from 25 µs to 10 s.
public final class Histogram: Sendable {
    /// Upper bounds in microseconds.
    private static let bounds = [
        25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 10_000_000,
    ]

    private struct Tally {
        var buckets = [Int](repeating: 0, count: Histogram.bounds.count + 1)
        var sum = 0
    }

    private let tally = Mutex(Tally())

    public init() {}

    public func record(nanoseconds: UInt64) {
        let microseconds = Int(clamping: nanoseconds / 1000)
        let index = Histogram.bounds.firstIndex { microseconds <= $0 } ?? Histogram.bounds.count
        tally.withLock {
            $0.buckets[index] += 1
            $0.sum &+= microseconds
        }
    }

    /// Cumulative buckets in seconds, as Prometheus wants them.
    func lines(_ name: String) -> [String] {
        let tally = tally.withLock { $0 }
        var total = 0
        var lines: [String] = []
        for (bound, count) in zip(Histogram.bounds, tally.buckets) {
            total += count
            lines.append("\(name)_bucket{le=\"\(Double(bound) / 1_000_000)\"} \(total)")
        }
        total += tally.buckets[Histogram.bounds.count]
        return lines + [
            "\(name)_bucket{le=\"+Inf\"} \(total)", "\(name)_sum \(Double(tally.sum) / 1_000_000)",
            "\(name)_count \(total)",
        ]
    }
}
