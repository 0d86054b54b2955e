internal import Synchronization

/// All metrics of a process, and the page that shows them in Prometheus' text format
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
/// The parts that count create their instruments once, at start. Label values come from enums, so the page is bounded.
public final class Metrics: Sendable {
    private struct Family {
        var help: String
        var type: String
        var lines: @Sendable () -> [String]
    }

    private let families = Mutex<[(name: String, family: [Family])]>([])

    public init() {}

    /// `name` follows Prometheus' rules; `labels` are part of the instrument.
    public func counter(_ name: String, help: String, labels: KeyValuePairs<String, String> = [:]) -> Counter {
        let counter = Counter()
        let series = name + render(labels)
        register(name, help: help, type: "counter") { ["\(series) \(counter.value)"] }
        return counter
    }

    public func gauge(_ name: String, help: String, labels: KeyValuePairs<String, String> = [:]) -> Gauge {
        let gauge = Gauge()
        let series = name + render(labels)
        register(name, help: help, type: "gauge") { ["\(series) \(gauge.value)"] }
        return gauge
    }

    /// Shows a count that is kept elsewhere; `reading` fetches it.
    public func counter(_ name: String, help: String, reading: @escaping @Sendable () -> Int) {
        register(name, help: help, type: "counter") { ["\(name) \(reading())"] }
    }

    /// Shows a level that is kept elsewhere; `reading` fetches it.
    public func gauge(
        _ name: String,
        help: String,
        labels: KeyValuePairs<String, String> = [:],
        reading: @escaping @Sendable () -> Int
    ) {
        let series = name + render(labels)
        register(name, help: help, type: "gauge") { ["\(series) \(reading())"] }
    }

    public func histogram(_ name: String, help: String) -> Histogram {
        let histogram = Histogram()
        register(name, help: help, type: "histogram") { histogram.lines(name) }
        return histogram
    }

    public func page() -> String {
        families.withLock { families in
            families.map { name, members in
                let head = "# HELP \(name) \(members[0].help)\n# TYPE \(name) \(members[0].type)\n"
                return head + members.flatMap { $0.lines() }.joined(separator: "\n") + "\n"
            }.joined()
        }
    }

    private func register(_ name: String, help: String, type: String, lines: @escaping @Sendable () -> [String]) {
        let family = Family(help: help, type: type, lines: lines)
        families.withLock { families in
            if let index = families.firstIndex(where: { $0.name == name }) {
                families[index].family.append(family)
            } else {
                families.append((name, [family]))
            }
        }
    }

    private func render(_ labels: KeyValuePairs<String, String>) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",") + "}"
    }
}
