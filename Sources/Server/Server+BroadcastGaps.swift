internal import Gateway
internal import Ledger
internal import LedgerInterface
internal import RailsBroadcasts
internal import RailsCable
internal import Redis

/// Broadcasts of Rails that were lost.
extension Server {
    /// Begins to listen. What was lost, the app's own server still knows: pages reload from there, including those that
    /// come later with a cursor from before the loss.
    func listenToRails() {
        let heal: HealBroadcasts = { [gateway, lead = core.lead, ledger = core.ledger, position] gap in
            // No page can have a cursor of a new ledger, unless another node has served it.
            if gap == .beforeStart && position == 0 && !ledger.isShared { return }
            // Of several nodes, one commits what Rails says. It may have got the lead before it heard of Rails.
            guard let lease = ledger.leadership.lease else { return }
            lead.recordLoss(under: lease) { gateway.refreshPages() }
        }
        redis?.start(heal: heal)
        railsCable?.start(takesOver: core.lead.takesOver, heal: heal)
    }
}
