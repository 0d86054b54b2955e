import Support

/// Expressions of Prometheus' query language over the program's own metrics
/// (https://prometheus.io/docs/prometheus/latest/querying/basics/). Pure.
struct PromQL {
    /// What every series must match besides; empty if any counts.
    var scope = ""

    /// `matchers` as in `reason="wrong_app"`.
    func series(_ metric: some Metric, _ matchers: String = "") -> String {
        selected(metric.name, matchers)
    }

    func increase(_ metric: CounterMetric, _ range: String, by labels: String, _ matchers: String = "") -> String {
        "sum by (\(labels)) (increase(\(series(metric, matchers))[\(range)]))"
    }

    /// Per second.
    func rate(_ metric: CounterMetric, _ range: String, by labels: String, _ matchers: String = "") -> String {
        "sum by (\(labels)) (rate(\(series(metric, matchers))[\(range)]))"
    }

    /// What the share `part` of the durations stays below, in seconds.
    func quantile(_ part: Double, _ metric: HistogramMetric, _ range: String, by labels: String) -> String {
        let buckets = "rate(\(selected(metric.bucket, ""))[\(range)])"
        return "histogram_quantile(\(part), sum by (\(labels), le) (\(buckets)))"
    }

    func highest(_ metric: GaugeMetric, by labels: String, _ matchers: String = "") -> String {
        "max by (\(labels)) (\(series(metric, matchers)))"
    }

    /// The highest of the last `range`: what a server knew before it was started again.
    func highest(_ metric: GaugeMetric, _ range: String, by labels: String) -> String {
        "max by (\(labels)) (max_over_time(\(series(metric))[\(range)]))"
    }

    /// The highest of the last `range` in each series, and of those the lowest: a server that gets a part of what comes has
    /// longer pauses than one that gets all. A series with 0 knows nothing, and is left out.
    func leastOfHighest(_ metric: GaugeMetric, _ range: String, by labels: String) -> String {
        "min by (\(labels)) (max_over_time(\(series(metric))[\(range)]) > 0)"
    }

    func lowest(_ metric: GaugeMetric, by labels: String) -> String {
        "min by (\(labels)) (\(series(metric)))"
    }

    func sum(_ metric: GaugeMetric, by labels: String) -> String {
        "sum by (\(labels)) (\(series(metric)))"
    }

    private func selected(_ name: String, _ matchers: String) -> String {
        let all = [scope, matchers].filter { !$0.isEmpty }.joined(separator: ",")
        return all.isEmpty ? name : "\(name){\(all)}"
    }
}
