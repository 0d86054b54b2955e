import Support

/// Solid Cable's table: asks it what `SolidCableCursor` wants to know, when `SolidCableHealth` says so.
///
/// The table keeps its rows for a day, so an outage loses nothing: a gap is what was broadcast before the start, and what
/// the app deleted or replaced before it was read.
final class SolidCableSource: BroadcastSource {
    private let counts: RailsCableCounts
    private let table: any SolidCableTable
    private var cursor = SolidCableCursor()
    private var health: SolidCableHealth
    /// Streams to catch up on once the table's head is known.
    private var gap: BroadcastGap?
    /// Once the table has answered or failed, what is broadcast may be lost.
    private var hasBegun = false
    /// What to do if there is no such table; nil if that is a problem.
    private let otherwise: ((BroadcastGap) -> any BroadcastSource)?
    private(set) var successor: (any BroadcastSource)?

    init(
        _ table: any SolidCableTable,
        timing: BroadcastTiming,
        counts: RailsCableCounts,
        after gap: BroadcastGap,
        otherwise: ((BroadcastGap) -> any BroadcastSource)? = nil
    ) {
        self.table = table
        self.counts = counts
        self.gap = gap
        self.otherwise = otherwise
        health = SolidCableHealth(timing: timing)
    }

    var problem: String? { health.problem }

    var next: MonotonicTime { health.next }

    func startOver(_ receiver: BroadcastReceiver) {
        cursor = SolidCableCursor()
        gap = gap ?? .outage
    }

    func receive(_ receiver: BroadcastReceiver) {
        guard health.next <= receiver.now else { return }
        guard receiver.hasRoom else { return health.postpone(at: receiver.now) }
        do throws(BroadcastProblem) {
            let hasMore = try ask(receiver)
            report(health.succeeded(at: receiver.now, hasMore: hasMore), receiver)
        } catch {
            if error == .missingTable, let otherwise { return successor = otherwise(hasBegun ? .outage : .beforeStart) }
            report(health.failed(error, at: receiver.now, jitter: .random(in: 0...1)), receiver)
        }
        hasBegun = true
    }

    private func report(_ news: Incident.News?, _ receiver: BroadcastReceiver) {
        receiver.report(news, (name: "adapter", value: "solid_cable"))
    }

    /// Returns whether to ask again at once.
    private func ask(_ receiver: BroadcastReceiver) throws(BroadcastProblem) -> Bool {
        let question = cursor.ask(failures: health.failures)
        let page = try table.answer(question)
        guard let question else {
            cursor.begin(at: page, now: receiver.now)
            if let gap { receiver.healGap(gap) }
            gap = nil
            return true
        }
        let taken = cursor.take(page, limit: question.limit, now: receiver.now)
        for row in taken.rows { receiver.take(row.payload, from: row.channel) }
        counts.late.add(taken.late)
        if let gap = taken.gap { lose(gap, receiver) }
        return taken.hasMore
    }

    private func lose(_ reason: SolidCableCursor.Gap, _ receiver: BroadcastReceiver) {
        counts.gaps.add()
        receiver.log.warning(
            "broadcasts of rails cable may be lost",
            fields: ["cable": receiver.source.address, "reason": reason.rawValue]
        )
        // A page rendered before the head is read may lack the head's messages.
        if cursor.ask() == nil { gap = .outage } else { receiver.healGap(.outage) }
    }
}
