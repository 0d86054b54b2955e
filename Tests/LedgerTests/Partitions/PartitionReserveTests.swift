import Domain
import TestSupport
import Testing

@testable import Ledger

/// Partitions are made ahead, by whoever commits.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct PartitionReserveTests {
    private static let size: Int64 = 20

    /// Two nodes in turn; after each commit there is room for more than a partition.
    @Test func thereIsAlwaysRoom() throws {
        let cluster = try PostgresCluster()
        var stores = try [store(in: cluster, node: "one"), store(in: cluster, node: "two")]
        for number in 0..<150 {
            try commit(to: &stores[number % 2])
            let room = try cluster.psql(
                "SELECT CAST(value AS BIGINT) - position FROM paycast.meta, paycast.head WHERE key = 'reserved'"
            )
            #expect(Int64(room) ?? 0 >= PartitionReserveTests.size)
        }
        let partitions = try cluster.psql(
            "SELECT inhparent::regclass, count(*) FROM pg_inherits WHERE inhparent::regclass::text IN "
                + "('entries', 'events', 'fragments') GROUP BY 1 ORDER BY 1::text"
        )
        #expect(partitions == "entries|9\nevents|9\nfragments|9")
        // A partition that catches everything would stop the others from being read in their order.
        let rest = "SELECT count(*) FROM pg_class WHERE pg_get_expr(relpartbound, oid) = 'DEFAULT'"
        #expect(try cluster.psql(rest) == "0")
    }

    /// Somebody holds what a new partition needs, such as a manual ANALYZE: commits go on while there is room, are refused
    /// when there is none, and go on afterwards.
    @Test func whoeverHoldsTheTablesStopsNoCommitAtFirst() throws {
        let cluster = try PostgresCluster()
        var store = try store(in: cluster, node: "one")
        try commit(to: &store)
        let holder = PostgresConnection(try PostgresURL(cluster.url))
        try holder.begin()
        try holder.execute("LOCK TABLE paycast.entries IN SHARE UPDATE EXCLUSIVE MODE")
        var count = 1
        let refusal = #expect(throws: EngineError.self) {
            while count < 200 {
                try commit(to: &store)
                count += 1
            }
        }
        // From two partitions, the last half is left for a batch that is under way.
        #expect(count >= Int(PartitionReserveTests.size) && count < 2 * Int(PartitionReserveTests.size) + 1)
        #expect(refusal?.isBusy == true)
        try holder.commit()
        try store.rollback()
        for _ in 0..<60 { try commit(to: &store) }
        #expect(try cluster.psql("SELECT position FROM paycast.head") == "\(count + 60)")
    }

    /// The batch that makes a partition is rolled back: the next one makes it again.
    @Test func whatIsRolledBackIsMadeAgain() throws {
        let cluster = try PostgresCluster()
        var store = try store(in: cluster, node: "one")
        for number in 0..<100 {
            if number % 5 == 0 {
                try store.begin()
                try store.rollback()
            }
            try commit(to: &store)
        }
        #expect(try cluster.psql("SELECT position FROM paycast.head") == "100")
    }

    /// No partition for a row is no fault of the command that writes it.
    @Test func aMissingPartitionIsNoFaultOfACommand() throws {
        let cluster = try PostgresCluster()
        var store = try store(in: cluster, node: "one")
        try commit(to: &store)
        try cluster.psql(
            "ALTER TABLE paycast.entries DETACH PARTITION paycast.entries_from_0;"
                + "ALTER TABLE paycast.fragments DETACH PARTITION paycast.fragments_from_0"
        )
        let refusal = #expect(throws: EngineError.self) { try commit(to: &store) }
        #expect(refusal?.failsTransaction == true, "\(refusal?.description ?? "")")
    }

    private func store(in cluster: PostgresCluster, node: String) throws -> LedgerRepository {
        try PostgresEngine(url: PostgresURL(cluster.url), node: node, partitionSize: PartitionReserveTests.size)
            .openRepository(policy: AccessPolicy(sandboxUsers: .only([])), streams: .standard)
    }

    private func commit(to store: inout LedgerRepository) throws {
        let stream = try #require(StreamPattern.standard.stream(for: "42"))
        try store.begin()
        let fragment = Fragment(stream: stream, action: "update", target: "card", content: .html("x"))
        _ = try store.broadcast([fragment], now: Fixture.now)
        try store.commit()
    }
}
