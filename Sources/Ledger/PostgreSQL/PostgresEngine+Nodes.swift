public import Domain
public import LedgerInterface
internal import LedgerSQL
internal import Postgres
public import SharedLedger
internal import Synchronization

/// Following the log, and speaking with the other nodes.
extension PostgresEngine: SharedLedgerEngine {
    public func openLog(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerLog {
        do throws(EngineError) {
            let connection = PostgresLedgerConnection(nodeState, options: nodeState.logOptions)
            return LedgerLog(
                queries: try LedgerQueries(connection, epoch: nodeState.epoch, policy: policy, streams: streams),
                membership: try PostgresMembership(connection, nodeState: nodeState),
                published: { [nodeState] entry in nodeState.remember(entry.position, committedAt: entry.committedAt) }
            )
        } catch {
            throw LedgerError(error)
        }
    }

    public func listen(sending queue: NodeMessageQueue, hear: (NodeNews) -> Void) throws(EngineError) {
        var session = try ListeningSession(nodeState, at: listening)
        defer { nodeState.heard.withLock { $0 = session.heard } }
        try session.run(sending: queue, hear: hear)
    }
}
