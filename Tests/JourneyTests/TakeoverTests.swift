import TestSupport
import Testing

/// How long nobody does the work of a leader that was killed: 15 seconds at most, as the documentation says. `LeaseTests` adds
/// up the waits.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct TakeoverTests {
    /// Writes down, by the database's clock, each heartbeat, and when the lease went from one node to another.
    private static let witness = """
        CREATE TABLE paycast.beats (node TEXT, at TIMESTAMPTZ);
        CREATE TABLE paycast.takeovers (node TEXT, lease_ended_at TIMESTAMPTZ, at TIMESTAMPTZ);
        CREATE FUNCTION paycast.beat() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO paycast.beats VALUES (NEW.node, NEW.seen_at); RETURN NULL; END $$;
        CREATE FUNCTION paycast.take() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO paycast.takeovers VALUES (NEW.node, OLD.ends_at, clock_timestamp()); RETURN NULL; END $$;
        CREATE TRIGGER beat AFTER UPDATE ON paycast.nodes FOR EACH ROW EXECUTE FUNCTION paycast.beat();
        CREATE TRIGGER take AFTER UPDATE ON paycast.leases FOR EACH ROW
            WHEN (OLD.node <> NEW.node) EXECUTE FUNCTION paycast.take();
        """

    @Test func theNextHeartbeatTakesTheLease() throws {
        let nodes = try PostgresNodes()
        _ = try nodes[0].process.errorLine { $0.contains("this node leads") }
        try nodes.cluster.psql(TakeoverTests.witness)
        try nodes[0].stop()
        _ = try nodes[1].process.errorLine(timeout: .seconds(60)) { $0.contains("this node leads") }
        let heartbeats = try nodes.cluster.psql(
            """
            SELECT count(*) FROM paycast.beats JOIN paycast.takeovers USING (node)
            WHERE beats.at > lease_ended_at AND beats.at < takeovers.at
            """
        )
        // None if the lease ended within that heartbeat.
        #expect(["0", "1"].contains(heartbeats))
        let witnessed = "SELECT count(*) FROM paycast.takeovers WHERE node IN (SELECT node FROM paycast.beats)"
        #expect(try nodes.cluster.psql(witnessed) == "1")
    }
}
