public import Observability
public import RailsBroadcasts

extension BroadcastListener {
    /// Reads what a Rails app broadcasts through Solid Cable. Returns nil when the process has run out of descriptors.
    public convenience init?(
        railsCable settings: CableSettings,
        timing: CableTiming = CableTiming(),
        log: Log,
        metrics: Metrics,
        submit: @escaping SubmitBroadcasts
    ) {
        let counts = CableCounts(metrics)
        self.init(
            BroadcastSourceName(
                "rails cable",
                place: "cable",
                address: "\(settings.url)",
                lost: "rails cable lost",
                back: "rails cable is back",
                refused: "broadcasts of rails cable refused by the ledger"
            ),
            prefix: settings.prefix,
            patience: timing.patience,
            log: log,
            counts: BroadcastCounts(
                metrics,
                name: "paycast_rails_cable",
                source: "the cable database",
                connected: "1 while the app's cable database is read.",
                outages: "Times when it could not be read."
            ),
            submit: submit,
            makeSource: {
                let table: any CableTable =
                    switch settings.url {
                    case .sqlite(let path): SQLiteCableTable(path: path)
                    case .postgres(let url): PostgresCableTable(url)
                    }
                return TableSource(table, of: settings.url, timing: timing, counts: counts, after: .beforeStart)
            }
        )
    }
}
