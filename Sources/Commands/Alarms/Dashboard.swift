internal import FoundationEssentials
internal import Support

/// A Grafana dashboard, as its JSON model has it
/// (https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/). Pure.
public struct Dashboard: Encodable, Sendable {
    private let uid = "paycast"
    private let title = "Paycast"
    private let tags = ["paycast"]
    /// Of Grafana 10; later ones read it too.
    private let schemaVersion = 39
    private let version = 1
    private let editable = true
    private let refresh = "30s"
    private let timezone = "browser"
    private let time = ["from": "now-6h", "to": "now"]
    private let templating = Variables()
    private let panels: [Panel]

    init(_ rows: [Row]) {
        var panels: [Panel] = []
        var y = 0
        for row in rows {
            panels.append(Panel(row: row.title, id: panels.count + 1, y: y))
            y += 1
            var x = 0
            for chart in row.charts {
                if x + chart.width > Panel.fullWidth { (x, y) = (0, y + row.height) }
                panels.append(Panel(chart, id: panels.count + 1, x: x, y: y, height: row.height))
                x += chart.width
            }
            y += row.height
        }
        self.panels = panels
    }

    /// For Grafana's *Import*, or a provisioned folder.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Charts under one heading, from left to right.
    struct Row {
        var title: String
        var height = 8
        var charts: [Chart]
    }

    /// What one panel shows.
    struct Chart {
        /// The legend may name labels: `{{provider}}`.
        typealias Line = (expression: String, legend: String)

        enum Kind: String {
            case timeseries
            /// One number.
            case stat
        }

        var title: String
        var help: String
        var kind = Kind.timeseries
        /// Grafana's name of it.
        var unit = "short"
        /// Of the 24 columns.
        var width = 8
        var lines: [Line]
    }
}

/// The source, and what of it is shown.
private struct Variables: Encodable {
    struct Variable: Encodable {
        var name: String
        var label: String
        var type: String
        var query: String
        var datasource: Source?
        var includeAll = true
        var multi = true
        var refresh = 2
        /// Any, where Prometheus has not been asked yet.
        var allValue: String? = ".*"
    }

    let list: [Variable]

    init() {
        let build = GaugeMetric.build
        list = [
            Variable(
                name: "datasource",
                label: "Source",
                type: "datasource",
                query: "prometheus",
                includeAll: false,
                multi: false,
                refresh: 1,
                allValue: nil
            ),
            Variable(
                name: "job",
                label: "Job",
                type: "query",
                query: "label_values(\(build), job)",
                datasource: Source()
            ),
            Variable(
                name: "instance",
                label: "Server",
                type: "query",
                query: "label_values(\(build){job=~\"$job\"}, instance)",
                datasource: Source()
            ),
        ]
    }
}

private struct Source: Encodable {
    let type = "prometheus"
    let uid = "${datasource}"
}

private struct Panel: Encodable {
    static let fullWidth = 24

    struct Place: Encodable {
        var h: Int
        var w: Int
        var x: Int
        var y: Int
    }

    struct Target: Encodable {
        let datasource = Source()
        var refId: String
        var expr: String
        var legendFormat: String
    }

    struct Fields: Encodable {
        struct Defaults: Encodable {
            var unit: String
            let min = 0
        }

        var defaults: Defaults
        let overrides: [String] = []
    }

    let id: Int
    let type: String
    let title: String
    let gridPos: Place
    var description: String?
    var datasource: Source?
    var fieldConfig: Fields?
    var targets: [Target]?
    /// For a row: whether it is folded.
    var collapsed: Bool?
    var panels: [String]?

    init(row title: String, id: Int, y: Int) {
        self.id = id
        self.title = title
        type = "row"
        gridPos = Place(h: 1, w: Panel.fullWidth, x: 0, y: y)
        collapsed = false
        panels = []
    }

    init(_ chart: Dashboard.Chart, id: Int, x: Int, y: Int, height: Int) {
        self.id = id
        title = chart.title
        type = chart.kind.rawValue
        gridPos = Place(h: height, w: chart.width, x: x, y: y)
        description = chart.help
        datasource = Source()
        fieldConfig = Fields(defaults: Fields.Defaults(unit: chart.unit))
        targets = zip("ABCDEFGH", chart.lines).map { letter, line in
            Target(refId: String(letter), expr: line.expression, legendFormat: line.legend)
        }
    }
}
