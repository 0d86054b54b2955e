internal import Gateway
internal import Ledger
internal import LedgerInterface
internal import Redis

/// Broadcasts of Rails that Redis lost.
extension Server {
    /// What Redis lost, the app's own server still knows: pages reload from there, including those that come later with
    /// a cursor from before the loss.
    func heal() {
        redis?.start { [gateway, writer = core.writer, position] gap in
            // No page can have a cursor of a new ledger.
            if gap == .beforeStart && position == 0 { return }
            let isTaken = writer.submit(
                .broadcastsLost { result in
                    if case .failure = result { gateway.refreshPages() }
                }
            )
            if !isTaken { gateway.refreshPages() }
        }
    }
}
