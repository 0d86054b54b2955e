import Support

/// Solid Cable's table: asks it what `SolidCableCursor` wants to know, when `SolidCableHealth` says so.
///
/// The table keeps its rows for a day, so an outage loses nothing: a gap is what was broadcast before the start, and what
/// the app deleted or replaced before it was read.
final class SolidCableSource: BroadcastSource {
    private let url: RailsCableURL
    private let counts: RailsCableCounts
    private let table: any SolidCableTable
    private var cursor = SolidCableCursor()
    private var health: SolidCableHealth
    /// Streams to catch up on once the table's head is known.
    private var gap: BroadcastGap?
    /// The database has no such table. That is no problem yet if the app may use the other adapter.
    private(set) var isMissing = false
    private var hasAnswered = false
    private let isOptional: Bool

    init(
        _ table: any SolidCableTable,
        of url: RailsCableURL,
        timing: BroadcastTiming,
        counts: RailsCableCounts,
        after gap: BroadcastGap,
        isOptional: Bool = false
    ) {
        self.table = table
        self.url = url
        self.counts = counts
        self.gap = gap
        self.isOptional = isOptional
        health = SolidCableHealth(timing: timing, now: .zero)
    }

    /// Broadcasts since then may be lost.
    var hasBegun: Bool { hasAnswered || health.failures > 0 }

    var problem: String? { health.problem?.description }

    var next: Duration { health.next }

    func startOver(_ receiver: BroadcastReceiver) {
        cursor = SolidCableCursor()
        gap = gap ?? .outage
    }

    func receive(_ receiver: BroadcastReceiver) {
        guard health.next <= receiver.now else { return }
        guard receiver.hasRoom else { return health.postpone(at: receiver.now) }
        do throws(RailsCableProblem) {
            let hasMore = try ask(receiver)
            hasAnswered = true
            report(health.succeeded(at: receiver.now, hasMore: hasMore), receiver)
        } catch {
            isMissing = error == .missingTable
            guard !(isMissing && isOptional) else { return }
            receiver.lost(error, isNew: health.failed(error, at: receiver.now, random: .random(in: 0...1)))
        }
    }

    /// Returns whether to ask again at once.
    private func ask(_ receiver: BroadcastReceiver) throws(RailsCableProblem) -> Bool {
        switch cursor.ask(failures: health.failures) {
        case .head:
            cursor.begin(at: try table.head(), now: receiver.now)
            if let gap { receiver.healGap(gap) }
            gap = nil
            return true
        case .rows(let question):
            let taken = cursor.take(try table.rows(question), limit: question.limit, now: receiver.now)
            for row in taken.rows { receiver.take(row.payload, from: row.channel) }
            counts.late.add(taken.late)
            if let gap = taken.gap { lose(gap, receiver) }
            return taken.hasMore
        }
    }

    private func lose(_ reason: SolidCableCursor.Gap, _ receiver: BroadcastReceiver) {
        counts.gaps.add()
        receiver.log.warning(
            "broadcasts of rails cable may be lost",
            fields: ["cable": url, "reason": reason.rawValue]
        )
        // A page rendered before the head is read may lack the head's messages.
        if cursor.ask() == .head { gap = .outage } else { receiver.healGap(.outage) }
    }

    private func report(_ news: DeliveryNews?, _ receiver: BroadcastReceiver) {
        switch news {
        case nil: break
        case .connected: receiver.log.info("rails cable connected", fields: ["cable": url, "adapter": "solid_cable"])
        case .recovered(let outage): receiver.recovered(after: outage)
        }
    }
}
