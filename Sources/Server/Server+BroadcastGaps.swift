internal import Gateway
internal import Ledger
internal import LedgerInterface
internal import RailsBroadcasts

/// Gaps in the broadcasts of a Rails app.
extension Server {
    /// Starts listening. The app's own server still has what was lost: pages reload from there, including pages that
    /// come later with a cursor from before the loss.
    func listenToRails() {
        let heal: HealBroadcasts = { [gateway, writer = core.writer, ledger = core.ledger, position] gap in
            // No page can have a cursor of a new ledger.
            if gap == .beforeStart && position == 0 { return }
            // Of several nodes, only the leader commits Rails' broadcasts and records gaps. It records one when it
            // becomes the leader, and later ones as they occur.
            guard ledger.leadership.isHeld, gap != .beforeStart || !ledger.isShared else { return }
            let isTaken = writer.submit(
                .broadcastsLost { result in
                    if case .failure = result { gateway.refreshPages() }
                }
            )
            if !isTaken { gateway.refreshPages() }
        }
        redis?.start(heal: heal)
        railsCable?.start(heal: heal)
    }
}
