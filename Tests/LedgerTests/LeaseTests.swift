import Domain
import Support
import TestSupport
import Testing

@testable import Ledger

/// Two nodes, and the work that one of them does for both.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct LeaseTests {
    private final class Node {
        let writer: LedgerWriter
        let membership: PostgresMembership

        init(_ name: String, of cluster: PostgresCluster) throws {
            let engine = try PostgresEngine(url: PostgresURL(cluster.url), node: name)
            let policy = AccessPolicy(sandboxUsers: .only([]))
            writer = try LedgerWriter(
                engine: engine,
                clock: Clock(),
                policy: policy,
                streams: .standard,
                providers: [],
                log: .silent,
                metrics: Metrics(),
                onCommit: { _ in }
            )
            membership = try engine.openLog(policy: policy, streams: .standard).membership
        }

        deinit { writer.close() }

        /// Whether a mark with this name was committed under the lease.
        func mark(_ name: String, under lease: Lease) -> Bool {
            let answer = Promise<Bool>()
            let command = LedgerCommand.saveCheckpoint(name, Clock().now(), completion: answer.fulfil)
            return writer.submit(.led(command, under: lease)) && answer.wait()
        }
    }

    private func end(_ cluster: PostgresCluster) throws {
        try cluster.psql("UPDATE paycast.leases SET ends_at = clock_timestamp() - interval '1 second'")
    }

    /// A dead node's work is taken over within 15 seconds: its lease ends, another node's next heartbeat takes it, and two
    /// seconds are left for PostgreSQL's answers. `TakeoverTests` proves that it is the next one.
    @Test func theWaitsForATakeoverAddUp() {
        let heartbeat = Int(LedgerFollower.heartbeat / 1_000_000_000)
        #expect(PostgresMembership.leaseSeconds + heartbeat + 2 <= 15)
    }

    @Test func workOfAFormerLeaseIsRefused() throws {
        let cluster = try PostgresCluster()
        let (one, two) = (try Node("one", of: cluster), try Node("two", of: cluster))
        let first = try #require(try one.membership.renew().lease)
        #expect(try two.membership.renew().lease == nil)
        #expect(try one.membership.renew().lease == first)
        #expect(one.mark("a", under: first))
        // Nobody has it now: what the last holder does is still right.
        try end(cluster)
        #expect(one.mark("b", under: first))
        let second = try #require(try two.membership.renew().lease)
        #expect(second.number == first.number + 1)
        #expect(!one.mark("c", under: first))
        #expect(two.mark("d", under: second))
        // Had again, the work of the first time is as old as before.
        try end(cluster)
        let third = try #require(try one.membership.renew().lease)
        #expect(third.number == second.number + 1)
        #expect(!one.mark("e", under: first))
        #expect(one.mark("f", under: third))
        #expect(!two.mark("g", under: second))
        #expect(try cluster.psql("SELECT string_agg(name, '' ORDER BY name) FROM paycast.marks") == "abdf")
    }

    /// Whoever says goodbye leaves the work at once, and the numbers go on.
    @Test func numbersOutliveTheirHolders() throws {
        let cluster = try PostgresCluster()
        let (one, two) = (try Node("one", of: cluster), try Node("two", of: cluster))
        let first = try #require(try one.membership.renew().lease)
        one.membership.resign()
        #expect(try two.membership.renew().lease?.number == first.number + 1)
        #expect(!one.mark("a", under: first))
        #expect(try cluster.psql("SELECT node FROM paycast.nodes") == "two")
    }

    /// In one batch with others, only the stale command is refused.
    @Test func othersInItsBatchAreCommitted() throws {
        let cluster = try PostgresCluster()
        let (one, two) = (try Node("one", of: cluster), try Node("two", of: cluster))
        let first = try #require(try one.membership.renew().lease)
        try end(cluster)
        _ = try two.membership.renew()
        // The writer waits for the head, so that what follows gathers into one batch.
        let answers = (0..<9).map { _ in Promise<Bool>() }
        try cluster.hold("SELECT 1 FROM paycast.head FOR UPDATE") {
            for (number, answer) in answers.enumerated() {
                let command = LedgerCommand.saveCheckpoint("m\(number)", Clock().now(), completion: answer.fulfil)
                #expect(one.writer.submit(number % 3 == 2 ? .led(command, under: first) : command))
            }
        }
        #expect(answers.map { $0.wait() } == [true, true, false, true, true, false, true, true, false])
        #expect(try cluster.psql("SELECT string_agg(name, '' ORDER BY name) FROM paycast.marks") == "m0m1m3m4m6m7")
    }

    /// No other node gets the work between the question and the COMMIT.
    @Test func aTakeoverWaitsForTheTransactionThatAsked() throws {
        let cluster = try PostgresCluster()
        let (one, two) = (try Node("one", of: cluster), try Node("two", of: cluster))
        let first = try #require(try one.membership.renew().lease)
        try end(cluster)
        let question = "SELECT 1 FROM paycast.leases WHERE number = \(first.number) FOR SHARE"
        let taken = Promise<Lease?>()
        let node = UncheckedNode(two.membership)
        var taker: WorkerThread?
        try cluster.hold(question) {
            taker = WorkerThread(name: "taker") {
                // A question that waits for a lock is given up after 4 s.
                var lease: Lease?
                try? Deadline(.seconds(60)).wait {
                    lease = try? node.membership.renew().lease
                    return lease != nil
                }
                taken.fulfil(lease)
            }
            let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            try Deadline(.seconds(60)).wait(for: "the lock") { try cluster.psql(waits) == "1" }
            #expect(try cluster.psql("SELECT node FROM paycast.leases") == "one")
        }
        taker?.join()
        #expect(taken.wait()?.number == first.number + 1)
    }
}

/// Used by one thread after the other.
private struct UncheckedNode: @unchecked Sendable {
    let membership: PostgresMembership

    init(_ membership: PostgresMembership) { self.membership = membership }
}
