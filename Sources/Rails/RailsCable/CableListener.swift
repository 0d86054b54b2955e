import Ledger
public import Support

extension BroadcastListener {
    /// Reads what a Rails app broadcasts through a database. `follows` says what pages follow, for the adapter `postgresql`.
    /// Returns nil when the process has run out of descriptors.
    public convenience init?(
        railsCable settings: RailsCableSettings,
        timing: BroadcastTiming = .usual,
        log: Log,
        metrics: Metrics,
        follows: FollowedStreams = FollowedStreams(),
        submit: @escaping SubmitBroadcasts
    ) {
        let counts = RailsCableCounts(metrics)
        self.init(
            BroadcastSourceName(
                name: "rails cable",
                place: "cable",
                address: "\(settings.url)",
                connected: "rails cable connected",
                lost: "rails cable lost",
                back: "rails cable is back",
                refused: "broadcasts of rails cable refused by the ledger"
            ),
            prefix: settings.prefix,
            patience: timing.ledgerPatience,
            log: log,
            counts: BroadcastCounts(metrics, .railsCable),
            submit: submit,
            makeSource: {
                switch settings.url {
                case .sqlite(let path):
                    SolidCableSource(
                        SQLiteSolidCableTable(path: path),
                        timing: timing,
                        counts: counts,
                        after: .beforeStart
                    )
                case .postgres(let url):
                    CableDatabase(url: url, settings: settings, timing: timing, counts: counts, follows: follows).source
                }
            }
        )
        follows.wakeListener { [weak self] in self?.wake() }
    }
}

/// A PostgreSQL database, which the app uses through either adapter. Unless the setting says which, Solid Cable's table
/// decides: the app has it, or the app notifies.
struct CableDatabase {
    let url: PostgresURL
    let settings: RailsCableSettings
    let timing: BroadcastTiming
    let counts: RailsCableCounts
    let follows: FollowedStreams

    private var isGuessed: Bool { settings.adapter == nil }

    var source: any BroadcastSource {
        settings.adapter == .postgresql ? notifications(after: .beforeStart) : table(after: .beforeStart)
    }

    private func table(after gap: BroadcastGap) -> any BroadcastSource {
        SolidCableSource(
            PostgresSolidCableTable(url),
            timing: timing,
            counts: counts,
            after: gap,
            otherwise: isGuessed ? { gap in notifications(after: gap) } : nil
        )
    }

    private func notifications(after gap: BroadcastGap) -> any BroadcastSource {
        PostgresNotifySource(self, after: gap, otherwise: isGuessed ? { gap in table(after: gap) } : nil)
    }
}
