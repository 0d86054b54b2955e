public import APIModel
public import Domain
import HTTP
import Pages
import Support
import Synchronization

/// What this node has counted in the last hour and the last day. It remembers the values of a few metrics from time to
/// time; a step is the difference between two of them.
public final class History: Sendable {
    enum Range: String, CaseIterable {
        case hour, day

        /// In minutes.
        var step: Int { self == .hour ? 1 : 15 }
        var steps: Int { self == .hour ? 60 : 96 }
    }

    /// The values of the metrics at one moment.
    struct Sample: Sendable {
        var at: Instant
        var values: [String: Double]
    }

    private struct Samples {
        var minutes: [Sample]
        var quarters: [Sample]
        var count = 0
    }

    private static let shown: [any Metric] = [
        CounterMetric.events, CounterMetric.hookFailures, GaugeMetric.pages, HistogramMetric.webhookDelay,
        HistogramMetric.webhookWritten,
    ]

    private let metrics: Metrics
    private let samples = Mutex(Samples(minutes: [], quarters: []))

    init(_ metrics: Metrics) { self.metrics = metrics }

    /// Call it often: a sample is taken at the start, and then each minute.
    public func tick(at now: Instant) {
        let last = samples.withLock { $0.minutes.last?.at }
        guard last.map({ abs(now.milliseconds - $0.milliseconds) >= 60_000 }) ?? true else { return }
        let sample = sample(now)
        samples.withLock { samples in
            samples.minutes.append(sample)
            samples.minutes = samples.minutes.suffix(Range.hour.steps)
            if samples.count % Range.day.step == 0 {
                samples.quarters.append(sample)
                samples.quarters = samples.quarters.suffix(Range.day.steps)
            }
            samples.count += 1
        }
    }

    /// Oldest first; the last one goes on.
    func steps(of range: Range, now: Instant) -> [HistoryAnswer.Step] {
        let known = samples.withLock { range == .hour ? $0.minutes : $0.quarters }
        let all = known + [sample(now)]
        return zip(all, all.dropFirst()).map { HistoryAnswer.Step(from: $0, to: $1) }
    }

    private func sample(_ now: Instant) -> Sample { Sample(at: now, values: metrics.values(of: History.shown)) }
}

extension HistoryAnswer.Step {
    fileprivate init(from start: History.Sample, to end: History.Sample) {
        var events: [String: [String: Int]] = [:]
        var pages: [String: Int] = [:]
        var delays: [String: [(bound: Double, count: Double)]] = [:]
        var written: [(bound: Double, count: Double)] = []
        var hookFailures = 0
        for (text, value) in end.values {
            let series = Series(text)
            let added = value - (start.values[text] ?? 0)
            switch series.name {
            case CounterMetric.events.name where added > 0:
                events[series["provider"], default: [:]][series["outcome"]] = Int(added)
            case CounterMetric.hookFailures.name: hookFailures = Int(added)
            case GaugeMetric.pages.name: pages[series["transport"]] = Int(value)
            case HistogramMetric.webhookDelay.bucket:
                delays[series["provider"], default: []].append((series.bound, added))
            case HistogramMetric.webhookWritten.bucket: written.append((series.bound, added))
            default: break
            }
        }
        self.init(
            at: start.at.iso8601,
            events: events,
            delays: delays.compactMapValues { quantile(0.5, of: $0) },
            pageP50: quantile(0.5, of: written),
            pageP99: quantile(0.99, of: written),
            pages: pages,
            hookFailures: hookFailures
        )
    }
}

/// `name{label="value",…}`.
private struct Series {
    var name: Substring
    private var labels: [Substring: Substring] = [:]

    init(_ text: String) {
        let parts = text.split(separator: "{", maxSplits: 1)
        name = parts[0]
        for pair in parts.dropFirst().first?.dropLast().split(separator: ",") ?? [] {
            let sides = pair.split(separator: "=", maxSplits: 1)
            if sides.count == 2 { labels[sides[0]] = sides[1].dropFirst().dropLast() }
        }
    }

    subscript(label: Substring) -> String { String(labels[label] ?? "") }

    var bound: Double { labels["le"].map { $0 == "+Inf" ? .infinity : Double($0) ?? 0 } ?? 0 }
}

/// From cumulative buckets, evenly within the one that it falls into, as Prometheus does; nil if all are empty.
private func quantile(_ share: Double, of buckets: [(bound: Double, count: Double)]) -> Double? {
    let buckets = buckets.sorted { $0.bound < $1.bound }
    guard let total = buckets.last?.count, total > 0 else { return nil }
    let rank = share * total
    var (lower, below) = (0.0, 0.0)
    for (bound, count) in buckets {
        guard count < rank else {
            return bound.isFinite ? lower + (bound - lower) * (rank - below) / max(count - below, 1) : lower
        }
        (lower, below) = (bound, count)
    }
    return lower
}

extension Services {
    /// `GET /history?range=hour|day`: what this node has counted, by minutes or by quarters of an hour.
    func counted(_ request: Request) throws(RefusedBody) -> Answer {
        guard let range = History.Range(rawValue: request.query["range"] ?? "hour") else {
            throw RefusedBody("invalid_range", message: "range must be hour or day.")
        }
        // On a worker, because the metrics are read.
        return answer { [self] in
            let answer = HistoryAnswer(
                node: node,
                range: range.rawValue,
                step: range.step * 60,
                steps: history.steps(of: range, now: clock.now())
            )
            return JSON.response(200, body: answer)
        }
    }
}

/// Answers `GET /history`: what this node has counted, step by step, oldest first.
public struct HistoryAnswer: Codable, Sendable, Equatable {
    public struct Step: Codable, Sendable, Equatable {
        /// When it began: ISO 8601, UTC. The last step is not over yet.
        public var at: String
        /// Events by store and outcome; none is left out as 0.
        public var events: [String: [String: Int]]
        /// By store: from its signature to the reception, in seconds, of half of its webhooks.
        public var delays: [String: Double]
        /// From a webhook's first byte to the last page's socket, in seconds: of half of them, and of 99 in 100; null if no
        /// page was told anything.
        @Nullable public var pageP50: Double?
        @Nullable public var pageP99: Double?
        /// Open pages by transport, at its end.
        public var pages: [String: Int]
        /// Attempts to tell the backend that failed.
        public var hookFailures: Int
    }

    public var node: String
    /// `hour` or `day`.
    public var range: String
    /// The length of a step, in seconds.
    public var step: Int
    public var steps: [Step]
}
