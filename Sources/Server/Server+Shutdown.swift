internal import API
internal import Concurrency
internal import Development
internal import Gateway
internal import Ledger
internal import RailsBroadcasts

/// The order in which everything ends.
extension Server {
    /// Lets pages go first; what was received is still verified, committed and answered.
    func stop() {
        gateway.drain()
        background.close()
        core.workers.close()
        core.blockingPools.close()
        redis?.close()
        railsCable?.close()
        watch.close()
        core.writer.close()
        core.ledger.close()
        core.reader.close()
        demo?.close()
        gateway.stop()
    }
}
