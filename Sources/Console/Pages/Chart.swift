import APIModel
import Domain

/// A picture of the course of a few numbers, drawn as SVG, with all of them in a table behind it.
struct Chart {
    struct Course {
        var name: String
        /// A class of the style sheet; the name stands beside it.
        var tone: String
        /// One for each step; nil where nothing is known.
        var values: [Double?]
    }

    enum Form {
        /// On top of each other.
        case bars
        case lines
    }

    private static let height = 120.0
    private static let step = 10

    var title: String
    var form: Form
    /// Behind each number.
    var unit = ""
    /// When each step began: ISO 8601.
    var times: [String]
    /// The steps before these, when nothing was counted yet: the picture has room for them.
    var blank = 0
    /// When the first of all steps began, `12:04`.
    var begin = ""
    var courses: [Course]

    func markup(_ visit: Visit) -> Markup {
        let all = courses.flatMap(\.values).compactMap { $0 }
        let greatest = form == .lines ? all.max() ?? 0 : totals.max() ?? 0
        let scale = greatest > 0 ? Chart.height / greatest : 0
        let keys = courses.map { visit.render("chart.key", ["tone": .text($0.tone), "name": .text($0.name)]) }
        return visit.render(
            "chart",
            [
                "title": .text(title),
                "scale": .text(greatest > 0 ? "up to \(Chart.text(greatest, unit))" : "none yet"),
                "width": .text(String(max(1, blank + times.count) * Chart.step)),
                "summary": .text("\(title): at most \(Chart.text(greatest, unit)) in a step"),
                "marks": .markup(form == .bars ? bars(scale, visit) : lines(scale, visit)),
                "first": .text(begin), "last": .text(times.last.map(Chart.clock) ?? ""),
                "legend": .markup(keys.joined()), "heads": .markup(heads(visit)), "rows": .markup(rows(visit)),
            ]
        )
    }

    private var totals: [Double] {
        times.indices.map { index in courses.reduce(0) { $0 + ($1.values[index] ?? 0) } }
    }

    private func bars(_ scale: Double, _ visit: Visit) -> Markup {
        times.indices.map { index in
            var top = Chart.height
            return courses.map { course in
                guard let value = course.values[index], value > 0 else { return Markup.empty }
                top -= value * scale
                return visit.render(
                    "chart.bar",
                    [
                        "tone": .text(course.tone), "x": .text(String((blank + index) * Chart.step)),
                        "y": .text(Chart.text(top)),
                        "height": .text(Chart.text(value * scale)),
                        "title": .text("\(Chart.clock(times[index])) \(course.name): \(Chart.text(value, unit))"),
                    ]
                )
            }.joined()
        }.joined()
    }

    private func lines(_ scale: Double, _ visit: Visit) -> Markup {
        courses.map { course in
            let known = course.values.enumerated().compactMap { index, value in
                value.map { (x: (blank + index) * Chart.step + 4, y: Chart.text(Chart.height - $0 * scale)) }
            }
            // A line of one point would not be seen.
            let dash = known.count == 1 ? known.map { (x: $0.x + Chart.step / 2, y: $0.y) } : []
            let points = (known + dash).map { "\($0.x),\($0.y)" }
            return visit.render(
                "chart.line",
                ["tone": .text(course.tone), "points": .field(points.joined(separator: " "))]
            )
        }.joined()
    }

    private func heads(_ visit: Visit) -> Markup {
        courses.map { visit.render("chart.head", ["name": .text($0.name)]) }.joined()
    }

    /// Newest first.
    private func rows(_ visit: Visit) -> Markup {
        times.indices.reversed().map { index in
            let cells = courses.map { course in
                let text = course.values[index].map { Chart.text($0, unit) } ?? ""
                return visit.render("chart.cell", ["value": .text(text)])
            }
            return visit.render(
                "chart.row",
                ["at": .markup(visit.time(times[index])), "cells": .markup(cells.joined())]
            )
        }.joined()
    }

    fileprivate static func clock(_ iso8601: String) -> String {
        Instant(iso8601: iso8601).map(ConsoleTime.clock) ?? ""
    }

    /// With at most two decimals.
    static func text(_ value: Double, _ unit: String = "") -> String {
        let hundredths = Int((value * 100).rounded())
        let whole = "\(hundredths / 100)"
        let rest = hundredths % 100
        let decimals = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        return whole + decimals + unit
    }
}

/// The pictures of the overview.
struct HistoryCharts {
    private let history: HistoryAnswer

    init(_ history: HistoryAnswer) {
        self.history = history
    }

    /// Each spans the whole hour or day, however long the node has counted.
    var all: [Chart] {
        let blank = max(0, (history.range == "day" ? 86_400 : 3600) / max(1, history.step) - history.steps.count)
        let first = history.steps.first.flatMap { Instant(iso8601: $0.at) }
        let begin = first.map { ConsoleTime.clock($0 - .seconds(Int64(blank * history.step))) } ?? ""
        return [events, stores, way, delays, pages, hooks].map { chart in
            var chart = chart
            (chart.blank, chart.begin) = (blank, begin)
            return chart
        }
    }

    private var times: [String] { history.steps.map(\.at) }
    private var span: String { history.step == 60 ? "a minute" : "a quarter of an hour" }
    private static let tones = ["good", "wait", "warn", "stop", "quiet"]

    private var events: Chart {
        let kinds: [(name: String, tone: String, outcomes: [Outcome])] = [
            ("applied", "good", [.applied]), ("unclaimed", "warn", [.unclaimed]),
            ("contradicts its order", "stop", [.quarantined]),
            ("without effect", "quiet", [.stale, .ignored, .duplicate]),
        ]
        let courses = kinds.map { kind in
            Chart.Course(
                name: kind.name,
                tone: kind.tone,
                values: history.steps.map { step in
                    Double(
                        step.events.values.reduce(0) { sum, counts in
                            kind.outcomes.reduce(sum) { $0 + (counts[$1.rawValue] ?? 0) }
                        }
                    )
                }
            )
        }
        return Chart(title: "Events \(span), by outcome", form: .bars, times: times, courses: courses)
    }

    private var stores: Chart {
        courses("Events \(span), by store", form: .bars, words: StoreWords.store) { step in
            step.events.mapValues { Double($0.values.reduce(0, +)) }
        }
    }

    private var way: Chart {
        let courses = [
            Chart.Course(name: "half within", tone: "good", values: history.steps.map { $0.pageP50.map { $0 * 1000 } }),
            Chart.Course(
                name: "99 of 100 within",
                tone: "warn",
                values: history.steps.map { $0.pageP99.map { $0 * 1000 } }
            ),
        ]
        return Chart(
            title: "From a webhook's first byte to the pages",
            form: .lines,
            unit: " ms",
            times: times,
            courses: courses
        )
    }

    private var delays: Chart {
        courses(
            "From a store's signature to its webhook, half within",
            form: .lines,
            unit: " s",
            words: StoreWords.store,
            values: \.delays
        )
    }

    private var pages: Chart {
        courses("Open pages at the end of each step, by transport", form: .bars, words: StoreWords.transport) { step in
            step.pages.mapValues(Double.init)
        }
    }

    private var hooks: Chart {
        let failures = history.steps.map { Optional(Double($0.hookFailures)) }
        let course = Chart.Course(name: "failed", tone: "stop", values: failures)
        return Chart(
            title: "Attempts to tell the app's backend that failed",
            form: .bars,
            times: times,
            courses: [course]
        )
    }

    /// One course for each name that any step has.
    private func courses(
        _ title: String,
        form: Chart.Form,
        unit: String = "",
        words: (String) -> String,
        values: (HistoryAnswer.Step) -> [String: Double]
    ) -> Chart {
        let steps = history.steps.map(values)
        let names = Set(steps.flatMap(\.keys)).sorted()
        let courses = names.enumerated().map { index, name in
            let tone = HistoryCharts.tones[index % HistoryCharts.tones.count]
            return Chart.Course(name: words(name), tone: tone, values: steps.map { $0[name] })
        }
        return Chart(title: title, form: form, unit: unit, times: times, courses: courses)
    }
}
