import Encoding
import Support

/// A Grafana dashboard, as its JSON model has it
/// (https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/). Pure.
public struct Dashboard: Sendable {
    private static let width = 24
    private static let source: WireJSON = ["type": "prometheus", "uid": "${datasource}"]

    private let panels: [WireJSON]

    init(_ rows: [Row]) {
        var panels: [WireJSON] = []
        var y = 0
        for row in rows {
            panels.append([
                "collapsed": false, "gridPos": Dashboard.place(x: 0, y: y, width: Dashboard.width, height: 1),
                "id": .number(Int64(panels.count + 1)), "panels": [], "title": .text(row.title), "type": "row",
            ])
            y += 1
            var x = 0
            for chart in row.charts {
                if x + chart.width > Dashboard.width { (x, y) = (0, y + row.height) }
                let place = Dashboard.place(x: x, y: y, width: chart.width, height: row.height)
                panels.append(Dashboard.panel(chart, id: panels.count + 1, at: place))
                x += chart.width
            }
            y += row.height
        }
        self.panels = panels
    }

    private static func place(x: Int, y: Int, width: Int, height: Int) -> WireJSON {
        ["h": .number(Int64(height)), "w": .number(Int64(width)), "x": .number(Int64(x)), "y": .number(Int64(y))]
    }

    private static func panel(_ chart: Chart, id: Int, at place: WireJSON) -> WireJSON {
        let targets = zip("ABCDEFGH", chart.lines).map { letter, line -> WireJSON in
            [
                "datasource": source, "expr": .text(line.expression), "legendFormat": .text(line.legend),
                "refId": .text(String(letter)),
            ]
        }
        return [
            "datasource": source, "description": .text(chart.help),
            "fieldConfig": ["defaults": ["min": 0, "unit": .text(chart.unit)], "overrides": []], "gridPos": place,
            "id": .number(Int64(id)), "targets": .list(targets), "title": .text(chart.title),
            "type": .text(chart.kind.rawValue),
        ]
    }

    /// For Grafana's *Import*, or a provisioned folder.
    public var json: String {
        let build = GaugeMetric.build
        return Dashboard.text([
            "editable": true, "panels": .list(panels), "refresh": "30s",
            // Of Grafana 10; later ones read it too.
            "schemaVersion": 39, "tags": ["paycast"],
            "templating": [
                "list": [
                    [
                        "includeAll": false, "label": "Source", "multi": false, "name": "datasource",
                        "query": "prometheus", "refresh": 1, "type": "datasource",
                    ],
                    Dashboard.variable("job", label: "Job", "label_values(\(build), job)"),
                    Dashboard.variable("instance", label: "Server", "label_values(\(build){job=~\"$job\"}, instance)"),
                ]
            ],
            "time": ["from": "now-6h", "to": "now"], "timezone": "browser", "title": "Paycast", "uid": "paycast",
            "version": 1,
        ])
    }

    private static func variable(_ name: String, label: String, _ query: String) -> WireJSON {
        [
            // Any, where Prometheus has not been asked yet.
            "allValue": ".*",
            "datasource": source, "includeAll": true, "label": .text(label), "multi": true, "name": .text(name),
            "query": .text(query), "refresh": 2, "type": "query",
        ]
    }

    /// Indented, so that two versions can be compared. `line` begins a line.
    private static func text(_ document: WireJSON, line: String = "\n") -> String {
        let inner = line + "  "
        switch document {
        case .list(let items) where !items.isEmpty:
            return "[" + items.map { inner + text($0, line: inner) }.joined(separator: ",") + line + "]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\"\($0.name)\" : \(text($0.value, line: inner))" }
            return "{" + lines.joined(separator: ",") + line + "}"
        default: return String(decoding: document.bytes, as: UTF8.self)
        }
    }

    /// Charts under one heading, from left to right.
    struct Row {
        var title: String
        var height = 8
        var charts: [Chart]
    }

    /// What one panel shows.
    struct Chart {
        enum Kind: String {
            case timeseries
            /// One number.
            case stat
        }

        let title: String
        let help: String
        let kind: Kind
        /// Grafana's name of it.
        let unit: String
        /// Of the 24 columns.
        let width: Int
        private(set) var lines: [(expression: String, legend: String)] = []

        init(_ title: String, _ help: String, kind: Kind = .timeseries, unit: String = "short", width: Int = 8) {
            (self.title, self.help, self.kind, self.unit, self.width) = (title, help, kind, unit, width)
        }

        /// The legend may name labels: `{{provider}}`.
        func with(_ expression: String, _ legend: String) -> Chart {
            var chart = self
            chart.lines.append((expression, legend))
            return chart
        }
    }
}
