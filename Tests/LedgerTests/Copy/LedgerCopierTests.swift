import Domain
import TestSupport
import Testing

@testable import Ledger

/// Copies between a file and a real PostgreSQL, and what may happen to them on the way.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct LedgerCopierTests {
    private func digests(_ lines: [String]) -> [String] { lines.filter { $0.contains("sha256") } }

    @Test func thereAndBack() throws {
        let fixture = try CopyFixture(rows: 3000)
        let there = try fixture.copy(from: fixture.file, to: fixture.postgres)
        #expect(there.result.events == 3003 && there.result.rows > 12_000, "\(there.result)")
        let back = try fixture.copy(from: fixture.postgres, to: fixture.back)
        #expect(back.result == there.result)
        #expect(digests(back.lines) == digests(there.lines) && digests(there.lines).count >= 6)
        let again = try fixture.copy(from: fixture.back, to: .sqlite(path: fixture.folder.path("third.db")))
        #expect(again.result == there.result)
    }

    /// What a value may be at most, and what is not in ASCII: both engines keep it, and go through it in the same order.
    @Test func extremes() throws {
        let fixture = try CopyFixture()
        try fixture.run(
            """
            INSERT INTO locales (user, language) VALUES ('', ''), ('é', 'a'), ('e' || char(769), 'b'), ('\u{1F600}', 'c'), ('\u{FFFD}', 'd'),
                ('Z', 'e'), ('a''"\\', 'f');
            INSERT INTO marks VALUES ('most', 9223372036854775807), ('least', -9223372036854775808);
            INSERT INTO entries (position, committed_at, kind) VALUES (9000, 1, 'x');
            INSERT INTO events VALUES (9000, 'apple', 'Production', 'empty', '', 1, 1, x'', NULL, NULL);
            INSERT INTO headers VALUES (x'00', x'65794a'), (x'0000ff', zeroblob(16384)), (x'ff', x'');
            INSERT INTO entries (position, committed_at, kind) VALUES (9001, 1, 'x');
            INSERT INTO events VALUES (9001, 'apple', 'Production', 'large', '', 1, 1, zeroblob(262144), x'0000ff', NULL);
            INSERT INTO audit VALUES (1, 1, 'grant', 'api', NULL, NULL, 'é', NULL), (7, 2, 'order', 'shop', 'kim', 'Z', NULL, 'r');
            UPDATE sqlite_sequence SET seq = 4711 WHERE name = 'jobs';
            INSERT INTO sqlite_sequence SELECT 'jobs', 4711 WHERE NOT EXISTS
                (SELECT 1 FROM sqlite_sequence WHERE name = 'jobs');
            """
        )
        let there = try fixture.copy(from: fixture.file, to: fixture.postgres)
        #expect(try fixture.psql("SELECT last_value FROM paycast.jobs_id_seq") == "4711")
        #expect(try fixture.psql("SELECT last_value FROM paycast.audit_id_seq") == "7")
        #expect(try fixture.psql("SELECT position FROM paycast.head") == "9001")
        let back = try fixture.copy(from: fixture.postgres, to: fixture.back)
        #expect(digests(back.lines) == digests(there.lines))
    }

    /// The server does the same with whatever a store sends.
    @Test func zeroBytesAreReplacedAndCounted() throws {
        let fixture = try CopyFixture()
        try fixture.run("INSERT INTO locales (user, language) VALUES ('a', 'd' || char(0) || 'e')")
        let there = try fixture.copy(from: fixture.file, to: fixture.postgres)
        #expect(there.result.replaced == 1)
        #expect(try fixture.psql("SELECT language FROM paycast.locales") == "d\u{FFFD}e")
    }

    /// Replaced, it would compare otherwise: going through the table by its key would pass over rows.
    @Test func zeroBytesInAKeyAreRefused() throws {
        let fixture = try CopyFixture()
        let values = "('a' || char(0) || 'b', 'de'), ('a' || char(1), 'fr')"
        try fixture.run("INSERT INTO locales (user, language) VALUES \(values)")
        let error = #expect(throws: CopyError.self) { try fixture.copy(from: fixture.file, to: fixture.postgres) }
        #expect(error?.description.hasPrefix("\(fixture.path): locales, column user has U+0000 in a key") == true)
        try fixture.copy(from: fixture.file, to: fixture.back)
    }

    private func engine(of fixture: CopyFixture) throws -> PostgresEngine {
        guard case .postgres(let url) = fixture.postgres else { throw CopyError.missing("a database") }
        return try PostgresEngine(url: PostgresURL(url), node: "early")
    }

    /// Nobody sees it among the nodes before its first heartbeat, and it commits only once the copy has begun.
    @Test func aNodeThatOpenedTheTargetBeforeCannotCommit() throws {
        let fixture = try CopyFixture()
        let policy = AccessPolicy(sandboxUsers: .only([]))
        let node = try engine(of: fixture).openRepository(policy: policy, streams: .standard)
        var isOutOfTurn = false
        var isRefused = false
        try fixture.copy(from: fixture.file, to: fixture.postgres) { line in
            guard line.hasPrefix("entries: "), !isRefused else { return }
            do throws(EngineError) { try node.connection.begin() } catch { isOutOfTurn = true }
            try? node.connection.rollback()
            do { _ = try engine(of: fixture) } catch { isRefused = "\(error)".contains(UnfinishedCopy.advice) }
        }
        #expect(isOutOfTurn && isRefused)
        let failure = #expect(throws: EngineError.self) { try node.connection.begin() }
        #expect(failure?.message == "it knows less than this server has seen")
        #expect(try fixture.psql("SELECT count(*) FROM paycast.meta WHERE key = 'history'") == "0")
    }

    /// A node that has committed, and is not among the nodes any more.
    @Test func whatANodeCommitsBeforeTheCopyBeginsIsKept() throws {
        let fixture = try CopyFixture()
        _ = try engine(of: fixture)
        try fixture.psql("INSERT INTO paycast.locales VALUES ('kim', 'de')")
        #expect(throws: CopyError.self) { try fixture.copy(from: fixture.file, to: fixture.postgres) }
        #expect(try fixture.psql("SELECT count(*) FROM paycast.locales") == "1")
        #expect(try fixture.psql("SELECT to_regclass('paycast.copying') IS NULL") == "t")
    }

    @Test func whatIsNoTextIsNamed() throws {
        let fixture = try CopyFixture()
        try fixture.run("UPDATE entries SET kind = CAST(x'ff41' AS TEXT) WHERE position = 2")
        let place = "\(fixture.path): entries (position 2), column kind"
        let error = #expect(throws: CopyError.self) { try fixture.copy(from: fixture.file, to: fixture.postgres) }
        #expect(error?.description.hasPrefix("\(place) is not UTF-8") == true)
    }

    /// The session breaks in the middle: nothing is there but the mark, and the next run starts over.
    @Test func startsOverAfterABreak() throws {
        let fixture = try CopyFixture(rows: 6_000)
        #expect(throws: CopyError.self) {
            try fixture.copy(from: fixture.file, to: fixture.postgres) { line in
                guard line.hasPrefix("entries: ") else { return }
                _ = try? fixture.cluster.psql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(fixture.database)'"
                )
            }
        }
        #expect(try fixture.psql("SELECT count(*) FROM paycast.entries") == "0")
        #expect(try fixture.psql("SELECT to_regclass('paycast.copying') IS NULL") == "f")
        #expect(try fixture.copy(from: fixture.file, to: fixture.postgres).result.events == 6_003)
        #expect(try fixture.psql("SELECT to_regclass('paycast.copying') IS NULL") == "t")
    }

    struct Meddling: Sendable, CustomTestStringConvertible {
        var table: String
        /// What a trigger does with a row of it.
        var action: String
        var problem: String

        var testDescription: String { "\(table): \(action)" }
    }

    /// What arrives is not what was sent: nothing of it is kept, and the same command starts over.
    @Test(arguments: [
        Meddling(
            table: "events",
            action: "IF NEW.position = 2 THEN NEW.body := set_byte(NEW.body, 0, 255 - get_byte(NEW.body, 0)); END IF",
            problem: "table events has other rows"
        ),
        Meddling(table: "entries", action: "NEW.kind := NEW.kind || ' '", problem: "table entries has other rows"),
        Meddling(
            table: "fragments",
            action: "IF NEW.position = 1010 THEN RETURN NULL; END IF",
            problem: "table fragments has 9 rows instead of 10"
        ),
    ]) func aDifferenceIsFoundInPostgreSQL(_ meddling: Meddling) throws {
        let fixture = try CopyFixture(rows: 10)
        guard case .postgres(let url) = fixture.postgres else { return }
        try PostgresSide(PostgresURL(url), isTarget: true).createTables()
        try fixture.psql(
            """
            CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(meddling.action); RETURN NEW; END $$;
            CREATE TRIGGER meddle BEFORE INSERT ON paycast.\(meddling.table) FOR EACH ROW EXECUTE FUNCTION meddle()
            """
        )
        let error = #expect(throws: CopyError.self) { try fixture.copy(from: fixture.file, to: fixture.postgres) }
        #expect(error?.description.hasSuffix(": \(meddling.problem)") == true)
        #expect(try fixture.psql("SELECT count(*) FROM paycast.entries") == "0")
        try fixture.psql("DROP TRIGGER meddle ON paycast.\(meddling.table)")
        try fixture.copy(from: fixture.file, to: fixture.postgres)
    }

    @Test func aDifferenceIsFoundInSQLite() throws {
        let fixture = try CopyFixture(rows: 10)
        try fixture.copy(from: fixture.file, to: fixture.postgres)
        let back = fixture.folder.path("back.db")
        let target = try TemporaryLedger(at: back, kind: .file)
        target.close()
        let meddle = "UPDATE locales SET language = 'fr' WHERE user = NEW.user"
        try fixture.run("CREATE TRIGGER meddle AFTER INSERT ON locales BEGIN \(meddle); END", at: back)
        let error = #expect(throws: CopyError.self) { try fixture.copy(from: fixture.postgres, to: fixture.back) }
        #expect(error?.description.hasSuffix(": table locales has other rows") == true)
        try fixture.run("DROP TRIGGER meddle", at: back)
        try fixture.copy(from: fixture.postgres, to: fixture.back)
    }

    /// A server that commits to the source while it is copied, and a second copy into the same target.
    @Test func whoeverWritesMeanwhileIsNoticed() throws {
        let fixture = try CopyFixture()
        try fixture.copy(from: fixture.file, to: fixture.postgres)
        let name = "postgres://\(fixture.cluster.place)/\(fixture.database)"
        let changed = #expect(throws: CopyError.self) {
            try fixture.copy(from: fixture.postgres, to: fixture.back) { line in
                if line == "comparing both ledgers" { _ = try? fixture.psql("UPDATE paycast.head SET epoch = epoch") }
            }
        }
        #expect(changed?.description.hasPrefix("\(name) changed while it was copied") == true)
        try fixture.copy(from: fixture.postgres, to: fixture.back)
        let other = try CopyFixture(rows: 10)
        let target = "postgres://\(other.cluster.place)/\(other.database)"
        let second = DatabaseURL.sqlite(path: fixture.path)
        var error: CopyError?
        try other.copy(from: other.file, to: other.postgres) { line in
            guard line.hasPrefix("entries: "), error == nil else { return }
            do throws(CopyError) {
                _ = try LedgerCopier.run(from: second, to: other.postgres) { _ in }
            } catch let failure {
                error = failure
            }
        }
        #expect(error?.description.hasPrefix("another “paycast copy” writes to \(target)") == true)
    }
}
