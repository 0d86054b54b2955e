internal import Gateway
internal import Ledger
internal import LedgerInterface
internal import RailsBroadcasts

/// Broadcasts of Rails that were lost.
extension Server {
    /// Begins to listen. What was lost, the app's own server still knows: pages reload from there, including those that
    /// come later with a cursor from before the loss.
    func listenToRails() {
        let heal: HealBroadcasts = { [gateway, writer = core.writer, ledger = core.ledger, position] gap in
            // No page can have a cursor of a new ledger.
            if gap == .beforeStart && position == 0 { return }
            // Of several nodes, one commits what Rails says, and records a loss when it takes over, and later ones.
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
