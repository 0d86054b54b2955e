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
                        of: settings.url,
                        timing: timing,
                        counts: counts,
                        after: .beforeStart
                    )
                case .postgres(let url):
                    PostgresCableSource(url, settings: settings, timing: timing, counts: counts, follows: follows)
                }
            }
        )
        follows.wakeListener { [weak self] in self?.wake() }
    }
}
