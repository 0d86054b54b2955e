import API
import APIModel
import Domain

/// A user's contracts as bands of states over time: pure geometry. Times become x, contracts become lanes.
struct TimeLine: Equatable {
    static let width = 960.0
    static let laneLimit = 8
    /// The room of a lane's name, above its band.
    static let laneHeight = 76.0
    static let top = 30.0
    static let margin = 12.0

    struct Band: Equatable {
        let span: ContractHistory.Span
        /// It lies ahead: what the store has said so far.
        let isAhead: Bool
        let x: Double
        let width: Double
    }

    struct Mark: Equatable {
        let moment: ContractHistory.Moment
        let x: Double
    }

    struct Lane: Equatable {
        let name: String
        let bands: [Band]
        let marks: [Mark]
        let y: Double
    }

    struct Tick: Equatable {
        let at: Instant
        let text: String
        let x: Double
    }

    let lanes: [Lane]
    let ticks: [Tick]
    let now: Instant
    let nowX: Double
    /// Contracts that are in the table alone.
    let hidden: Int

    var height: Double { TimeLine.top + Double(lanes.count) * TimeLine.laneHeight + 26 }

    /// `events` are the newest ones, in any order. Nil without a contract.
    init?(_ contracts: [ContractDetail], events: [FeedItem], amounts: [String: String] = [:], now: Instant) {
        let shown = contracts.prefix(TimeLine.laneLimit).map {
            ContractHistory($0, events: events, amounts: amounts, now: now)
        }
        guard let start = shown.map(\.start).min(), let last = shown.map(\.end).max() else { return nil }
        let scale = TimeScale(from: start, to: max(last, now))
        lanes = shown.enumerated().map { number, history in
            Lane(
                name: history.name,
                bands: history.spans.map { span in
                    let x = scale.x(span.start)
                    return Band(span: span, isAhead: span.start >= now, x: x, width: max(2, scale.x(span.end) - x))
                },
                marks: history.marks.map { Mark(moment: $0, x: scale.x($0.at)) },
                y: TimeLine.top + Double(number) * TimeLine.laneHeight
            )
        }
        // The middle of a label is at its tick: nearer to an edge it would be cut.
        let room = scale.isLong ? 34.0 : 20
        ticks = scale.ticks.map { Tick(at: $0, text: ConsoleTime.shortDay($0, withYear: scale.isLong), x: scale.x($0)) }
            .filter { $0.x >= room && $0.x <= TimeLine.width - room }
        self.now = now
        nowX = scale.x(now)
        hidden = contracts.count - shown.count
    }
}

/// Where an instant lies in the picture.
private struct TimeScale {
    private let start: Instant
    private let length: Double
    let isLong: Bool

    private static let day: Int64 = 86_400_000

    /// Both ends get some room. At least a day, so that a single instant has a place.
    init(from first: Instant, to last: Instant) {
        let span = max(last.milliseconds - first.milliseconds, TimeScale.day)
        start = Instant(milliseconds: first.milliseconds - span / 25)
        length = Double(span) * 1.08
        isLong = span > 300 * TimeScale.day
    }

    func x(_ instant: Instant) -> Double {
        let part = Double(instant.milliseconds - start.milliseconds) / length
        let room = TimeLine.width - 2 * TimeLine.margin
        return ((TimeLine.margin + part * room) * 10).rounded() / 10
    }

    /// At most eight midnights; one or none of a day.
    var ticks: [Instant] {
        let days = Int64(length) / TimeScale.day
        let step = max(1, [1, 2, 5, 7, 14, 30, 61, 91, 182, 365, 730, 1826].first { days / $0 <= 7 } ?? days / 7)
        let stride = step * TimeScale.day
        let first = (start.milliseconds / stride + 1) * stride
        let end = start.milliseconds + Int64(length)
        return Swift.stride(from: first, to: end, by: Int64.Stride(stride)).map { Instant(milliseconds: $0) }
    }
}
