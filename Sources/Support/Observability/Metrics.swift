import Synchronization

/// All metrics of a process, and the page that shows them in Prometheus' text format
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
/// The parts that count create their instruments once, at start. Label values come from enums, so the page is bounded.
public final class Metrics: Sendable {
    private struct Series {
        var help: String
        var type: String
        var lines: @Sendable () -> [String]
    }

    private let families = Mutex<[(name: String, series: [Series])]>([])

    public init() {}

    /// `labels` are part of the instrument: those of the metric, in their order.
    public func counter(_ metric: CounterMetric, labels: KeyValuePairs<String, String> = [:]) -> Counter {
        let counter = Counter()
        show(metric, "counter", labels) { ["\(metric)\($0) \(counter.value)"] }
        return counter
    }

    public func gauge(_ metric: GaugeMetric, labels: KeyValuePairs<String, String> = [:]) -> Gauge {
        let gauge = Gauge()
        show(metric, "gauge", labels) { ["\(metric)\($0) \(gauge.value)"] }
        return gauge
    }

    /// Shows a count that is kept elsewhere; `reading` fetches it.
    public func counter(_ metric: CounterMetric, reading: @escaping @Sendable () -> Int) {
        show(metric, "counter", [:]) { ["\(metric)\($0) \(reading())"] }
    }

    /// Shows a level that is kept elsewhere; `reading` fetches it.
    public func gauge(
        _ metric: GaugeMetric,
        labels: KeyValuePairs<String, String> = [:],
        reading: @escaping @Sendable () -> Int
    ) {
        show(metric, "gauge", labels) { ["\(metric)\($0) \(reading())"] }
    }

    public func histogram(_ metric: HistogramMetric, labels: KeyValuePairs<String, String> = [:]) -> Histogram {
        let histogram = Histogram(bounds: metric.bounds)
        let pairs = labels.map { "\($0.key)=\"\($0.value)\"" }
        show(metric, "histogram", labels) { _ in histogram.lines(metric.name, labels: pairs) }
        return histogram
    }

    public func page() -> String {
        families.withLock { families in
            families.map { name, series in
                let head = "# HELP \(name) \(series[0].help)\n# TYPE \(name) \(series[0].type)\n"
                return head + series.flatMap { $0.lines() }.joined(separator: "\n") + "\n"
            }.joined()
        }
    }

    /// The present values of some metrics, each by its series as Prometheus writes it.
    public func values(of metrics: [any Metric]) -> [String: Double] {
        let names = metrics.map(\.name)
        let lines = families.withLock { families in
            families.filter { names.contains($0.name) }.flatMap { family in family.series.flatMap { $0.lines() } }
        }
        return lines.reduce(into: [:]) { values, line in
            guard let space = line.lastIndex(of: " ") else { return }
            values[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
    }

    /// `lines` is given the labels as Prometheus wants them.
    private func show(
        _ metric: some Metric,
        _ type: String,
        _ labels: KeyValuePairs<String, String>,
        lines: @escaping @Sendable (String) -> [String]
    ) {
        assert(labels.map(\.key) == metric.labels, "\(metric) has other labels")
        let pairs = labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
        let text = pairs.isEmpty ? "" : "{\(pairs)}"
        let series = Series(help: metric.help, type: type) { lines(text) }
        families.withLock { families in
            if let index = families.firstIndex(where: { $0.name == metric.name }) {
                families[index].series.append(series)
            } else {
                families.append((metric.name, [series]))
            }
        }
    }
}

/// What `/metrics` shows. All of them stand beside the types that conform to this: nothing else can be shown.
public protocol Metric: Sendable, CustomStringConvertible {
    /// Follows Prometheus' rules.
    var name: String { get }
    /// One sentence.
    var help: String { get }
    /// The names of its labels; their values come from enums.
    var labels: [String] { get }
}

extension Metric {
    public var description: String { name }
}
