internal import Gateway
internal import Ledger
internal import LedgerInterface
internal import RailsBroadcasts
internal import RailsCable

/// Gaps in the broadcasts of a Rails app.
extension Server {
    /// Starts listening. The app's own server still has what was lost: pages reload from there, including pages that
    /// come later with a cursor from before the loss.
    func listenToRails() {
        let heal: HealBroadcasts = { [gateway, lead = core.lead, ledger = core.ledger, position] gap in
            // No page can have a cursor of a new ledger, unless another node has served it.
            if gap == .beforeStart && position == 0 && !ledger.isShared { return }
            // Of several nodes, only the leader commits Rails' broadcasts and records gaps. It may have become the leader
            // before it connected to Rails.
            guard let lease = ledger.leaderLease.lease else { return }
            lead.recordLoss(under: lease) { gateway.refreshPages() }
        }
        core.follows?.connect(
            pages: { [gateway] in gateway.followedStreams },
            share: { [ledger = core.ledger] streams in ledger.shareFollowed(streams) }
        )
        redis?.start(heal: heal)
        railsCable?.start(takesOver: core.lead.takesOver, heal: heal)
    }
}
