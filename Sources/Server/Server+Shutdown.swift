internal import API
internal import Concurrency
internal import Development
internal import Gateway
internal import Ledger
internal import RailsBroadcasts

/// The order in which everything ends.
extension Server {
    /// Lets pages go first; what was received is still verified, committed and answered.
    func stop(_ progress: ShutdownProgress) {
        progress.wait(for: "pages") { gateway.drain() }
        progress.wait(for: "jobs and recoveries") { background.close() }
        progress.wait(for: "webhooks") { core.workers.close() }
        progress.wait(for: "operators' requests") { core.blockingPools.close() }
        progress.wait(for: "Rails' broadcasts") {
            redis?.close()
            railsCable?.close()
        }
        progress.wait(for: "the watch of the ledger's files") { watch.close() }
        progress.wait(for: "the ledger's writer") { core.writer.close() }
        progress.wait(for: "the other nodes' log") { core.ledger.close() }
        progress.wait(for: "the ledger's reader") { core.reader.close() }
        progress.wait(for: "the demo") { demo?.close() }
        progress.wait(for: "connections") { gateway.stop() }
    }
}
