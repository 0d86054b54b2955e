import Domain
import Synchronization

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

    public func add(_ amount: Int) {
        level.wrappingAdd(amount, ordering: .relaxed)
    }

    public func set(_ value: Int) {
        level.store(value, ordering: .relaxed)
    }

    public var value: Int { level.load(ordering: .relaxed) }
}

/// Durations in buckets.
public final class Histogram: Sendable {
    /// For what takes from 25 µs to 10 s; in microseconds.
    static let quick = [
        25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 10_000_000,
    ]
    /// For what takes from a second to a day.
    static let slow = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400].map { $0 * 1_000_000 }

    private struct Tally {
        var buckets: [Int]
        var sum = 0
    }

    private let bounds: [Int]
    private let tally: Mutex<Tally>

    /// `bounds` are upper ones in microseconds, ascending.
    init(bounds: [Int] = Histogram.quick) {
        self.bounds = bounds
        tally = Mutex(Tally(buckets: [Int](repeating: 0, count: bounds.count + 1)))
    }

    /// A negative one counts as none, since clocks differ; one of centuries as less.
    public func record(_ duration: Duration) {
        record(nanoseconds: UInt64(min(max(0, duration.milliseconds), 1 << 43)) * 1_000_000)
    }

    public func record(nanoseconds: UInt64) {
        let microseconds = Int(clamping: nanoseconds / 1000)
        let index = bounds.firstIndex { microseconds <= $0 } ?? bounds.count
        tally.withLock {
            $0.buckets[index] += 1
            $0.sum &+= microseconds
        }
    }

    /// Cumulative buckets in seconds, as Prometheus wants them; `labels` are pairs such as `provider="apple"`.
    func lines(_ name: String, labels: [String]) -> [String] {
        let tally = tally.withLock { $0 }
        let own = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        var total = 0
        var lines: [String] = []
        for (bound, count) in zip(bounds.map { "\(Double($0) / 1_000_000)" } + ["+Inf"], tally.buckets) {
            total += count
            let pairs = (labels + ["le=\"\(bound)\""]).joined(separator: ",")
            lines.append("\(name)_bucket{\(pairs)} \(total)")
        }
        return lines + ["\(name)_sum\(own) \(Double(tally.sum) / 1_000_000)", "\(name)_count\(own) \(total)"]
    }
}
