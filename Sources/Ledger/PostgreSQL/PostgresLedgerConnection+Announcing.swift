internal import LedgerSQL
internal import Postgres

/// Notifies the other nodes of a commit; `PostgresEngine+Nodes` listens.
extension PostgresLedgerConnection {
    /// Tells the other nodes, in a transaction of its own: within the commit, PostgreSQL would hold its lock on all
    /// notifying commits of the server while the disk is flushed. It is a hint, so nobody minds if it fails.
    func announce() {
        guard committed > announced, postgres.isOpen else { return }
        announced = committed
        let statement = postgres.prepare("SELECT pg_notify(?, ?)")
        try? statement.run([.text(PostgresNodeState.channel), .text("\(nodeState.epoch):\(committed)")])
        // Its answer comes with that of the next transaction.
        try? postgres.post()
    }
}
