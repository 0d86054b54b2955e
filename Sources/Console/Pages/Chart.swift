import API
import Domain

/// A picture of the course of a few numbers, drawn as SVG, with those that are not 0 in a table behind it.
struct Chart {
    struct Course {
        var name: String
        /// A class of the style sheet; the name stands beside it.
        var tone: String
        /// One for each step: nil where nothing was measured, and 0 where there was nothing.
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
    var unit: String
    /// When the first of all steps began.
    var begin: String
    /// The steps before `times`, when nothing was counted yet: the picture has room for them.
    var blank: Int
    /// When each step began: ISO 8601.
    var times: [String]
    var courses: [Course]

    func markup(_ visit: Visit) -> Markup {
        let measured = form == .lines ? courses.flatMap(\.values).compactMap { $0 } : totals
        let greatest = measured.max() ?? 0
        let scale = greatest > 0 ? Chart.height / greatest : 0
        let extent = greatest > 0 ? "up to \(text(greatest))" : measured.isEmpty ? "nothing measured" : "none"
        let keys = courses.map { visit["chart.key"].render(["tone": $0.tone, "name": $0.name]) }
        return visit["chart"].render([
            "title": title, "extent": extent, "summary": "\(title): \(extent)",
            "width": String(max(1, blank + times.count) * Chart.step),
            "marks": form == .bars ? bars(scale, visit) : lines(scale, visit), "first": Chart.moment(begin),
            "last": times.last.map(Chart.moment), "legend": keys.joined(), "numbers": numbers(visit),
        ])
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
                return visit["chart.bar"].render([
                    "tone": course.tone, "x": String((blank + index) * Chart.step), "y": Chart.decimal(top),
                    "height": Chart.decimal(value * scale),
                    "title": "\(Chart.moment(times[index])), \(course.name): \(text(value))",
                ])
            }.joined()
        }.joined()
    }

    private func lines(_ scale: Double, _ visit: Visit) -> Markup {
        courses.map { course in
            let points = course.values.enumerated().compactMap { index, value in
                value.map { "\((blank + index) * Chart.step + 4),\(Chart.decimal(Chart.height - $0 * scale))" }
            }
            // A line of one point would not be seen: the newest one is a dot.
            return points.last.map { newest in
                visit["chart.line"].render([
                    "tone": course.tone, "points": Field(points.joined(separator: " ")), "newest": Field(newest),
                ])
            } ?? .empty
        }.joined()
    }

    /// Newest first, without the steps that have nothing to tell.
    private func numbers(_ visit: Visit) -> Markup {
        let rows = times.indices.reversed().filter { index in
            courses.contains { ($0.values[index] ?? 0) != 0 }
        }.map { index in
            let cells = courses.map { visit["chart.cell"].render(["value": $0.values[index].map(text)]) }
            return visit["chart.row"].render(["at": visit.time(times[index]), "cells": cells.joined()])
        }
        guard !rows.isEmpty else { return visit["chart.no_numbers"].render() }
        let heads = courses.map { visit["chart.head"].render(["name": $0.name]) }
        return visit["chart.numbers"].render(["title": title, "heads": heads.joined(), "rows": rows.joined()])
    }

    /// As the table has it, in less room: `3 Jan 2026, 12:04 UTC`.
    private static func moment(_ iso8601: String) -> String {
        iso8601.instant.map {
            "\(ConsoleTime.shortDay($0, withYear: true)), \(ConsoleTime.clock($0)) UTC"
        } ?? ""
    }

    private func text(_ value: Double) -> String { Chart.decimal(value) + unit }

    /// With at most two decimals.
    private static func decimal(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        let decimals = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        return "\(hundredths / 100)\(decimals)"
    }
}

/// The pictures of the overview.
struct HistoryCharts {
    private typealias Step = HistoryAnswer.Step

    let history: HistoryAnswer

    var all: [Chart] { counted + measured }

    private static let tones = ["good", "wait", "warn", "stop", "quiet"]

    private static let kinds: [(name: String, tone: String, outcomes: [Outcome])] = [
        ("applied", "good", [.applied]), ("unclaimed", "warn", [.unclaimed]),
        ("contradicts its order", "stop", [.quarantined]),
        ("without effect", "quiet", [.stale, .ignored, .duplicate]),
    ]

    private var counted: [Chart] {
        let span = history.step == 60 ? "a minute" : "a quarter of an hour"
        let outcomes = HistoryCharts.kinds.map { kind in
            course(kind.name, kind.tone) { step in
                let counts = step.events.values.flatMap { counts in kind.outcomes.map { counts[$0.rawValue] ?? 0 } }
                return Double(counts.reduce(0, +))
            }
        }
        let stores = courses(StoreWords.store, missing: 0) { step in
            step.events.mapValues { Double($0.values.reduce(0, +)) }
        }
        return [
            chart("Events \(span), by outcome", .bars, outcomes), chart("Events \(span), by store", .bars, stores),
        ]
    }

    private var measured: [Chart] {
        let way = [
            course("half within", "good") { $0.pageP50.map { $0 * 1000 } },
            course("99 of 100 within", "warn") { $0.pageP99.map { $0 * 1000 } },
        ]
        let delays = courses(StoreWords.store, missing: nil) { $0.delays }
        let pages = courses(StoreWords.transport, missing: 0) { $0.pages.mapValues { Double($0) } }
        let failed = course("failed", "stop") { Double($0.hookFailures) }
        return [
            chart("From a webhook's first byte to the pages", .lines, unit: " ms", way),
            chart("From a store's signature to its webhook, half within", .lines, unit: " s", delays),
            chart("Open pages at the end of each step, by transport", .bars, pages),
            chart("Attempts to tell the app's backend that failed", .bars, [failed]),
        ]
    }

    private func course(_ name: String, _ tone: String, _ value: (Step) -> Double?) -> Chart.Course {
        Chart.Course(name: name, tone: tone, values: history.steps.map(value))
    }

    /// One course for each name that any step has. `missing` is the value of a step without it.
    private func courses(
        _ words: (String) -> String,
        missing: Double?,
        _ values: (Step) -> [String: Double]
    ) -> [Chart.Course] {
        let steps = history.steps.map(values)
        return Set(steps.flatMap(\.keys)).sorted().enumerated().map { index, name in
            let tone = HistoryCharts.tones[index % HistoryCharts.tones.count]
            return Chart.Course(name: words(name), tone: tone, values: steps.map { $0[name] ?? missing })
        }
    }

    /// It spans the whole hour or day, however long the node has counted.
    private func chart(_ title: String, _ form: Chart.Form, unit: String = "", _ courses: [Chart.Course]) -> Chart {
        let blank = max(0, (history.range == "day" ? 86_400 : 3600) / max(1, history.step) - history.steps.count)
        let first = history.steps.first.flatMap { $0.at.instant }
        return Chart(
            title: title,
            form: form,
            unit: unit,
            begin: first.map { ($0 - .seconds(Int64(blank * history.step))).iso8601 } ?? "",
            blank: blank,
            times: history.steps.map(\.at),
            courses: courses
        )
    }
}
