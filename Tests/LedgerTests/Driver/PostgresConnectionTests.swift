import TestSupport
import Testing

@testable import Ledger

@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled, "PostgreSQL 15 is not installed"))
struct PostgresConnectionTests {
    let cluster: PostgresCluster
    let connection: PostgresConnection

    init() throws {
        cluster = try PostgresCluster.shared()
        connection = PostgresConnection(try PostgresURL(cluster.url))
    }

    struct Given: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var value: Value
        var type: String
    }

    static let values = [
        Given(testDescription: "null", value: .null, type: "TEXT"),
        Given(testDescription: "smallest", value: .integer(.min), type: "BIGINT"),
        Given(testDescription: "largest", value: .integer(.max), type: "BIGINT"),
        Given(testDescription: "minus one of four bytes", value: .integer(-1), type: "INTEGER"),
        Given(testDescription: "minus one of two bytes", value: .integer(-1), type: "SMALLINT"),
        Given(testDescription: "true", value: .integer(1), type: "BOOLEAN"),
        Given(testDescription: "empty text", value: .text(""), type: "TEXT"),
        Given(
            testDescription: "Unicode",
            value: .text("e\u{301} \u{1F468}\u{200D}\u{1F469} ' \\ \" ? $1"),
            type: "TEXT"
        ),
        Given(testDescription: "a long text", value: .text(String(repeating: "ü", count: 1 << 20)), type: "TEXT"),
        Given(testDescription: "no bytes", value: .bytes([]), type: "BYTEA"),
        Given(testDescription: "all bytes", value: .bytes(Array(0...255)), type: "BYTEA"),
        Given(testDescription: "a megabyte", value: .bytes(.init(repeating: 0, count: 1 << 20)), type: "BYTEA"),
    ]

    @Test(arguments: values) func valueComesBack(_ given: Given) throws {
        let statement = connection.prepare("SELECT CAST(? AS \(given.type))")
        let found: Value? = try statement.first([given.value]) { row in
            switch given.value {
            case .null: row.isNull(0) ? .null : .text(row.text(0))
            case .integer: .integer(row.integer(0))
            case .text: row.isNull(0) ? .null : .text(row.text(0))
            case .bytes: row.isNull(0) ? .null : .bytes(row.bytes(0))
            }
        }
        #expect(found == given.value)
        guard case .text(let text) = given.value, case .text(let other) = found else { return }
        #expect(Array(text.utf8) == Array(other.utf8))
    }

    @Test(arguments: [0, 1, 100_000, 1 << 20]) func bodyIsTheLastParameter(_ size: Int) throws {
        try connection.execute("CREATE TEMP TABLE bodies (id BIGINT, body BYTEA)")
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let statement = connection.prepare("INSERT INTO bodies VALUES (?, ?)")
        try statement.run([.integer(7)], body: body)
        let found = try connection.prepare("SELECT body, body IS NULL FROM bodies").first {
            ($0.bytes(0), $0.integer(1))
        }
        #expect(found?.0 == body)
        #expect(found?.1 == 0)
    }

    @Test func zeroCharacterBecomesTheReplacementCharacter() throws {
        let found = try connection.prepare("SELECT CAST(? AS TEXT)").first([.text("a\0b")]) { $0.text(0) }
        #expect(found == "a\u{FFFD}b")
    }

    @Test func columnOfAnotherTypeIsAnError() throws {
        let statement = connection.prepare("SELECT 1.5 AS price")
        let error = #expect(throws: EngineError.self) { try statement.first { $0.integer(0) } }
        #expect(error?.message.contains("price") == true)
        #expect(try connection.prepare("SELECT 2").first { $0.integer(0) } == 2)
    }

    struct Failing: Sendable, CustomTestStringConvertible {
        var sql: String
        var sqlState: String
        var kind: EngineError.Kind
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Failing(sql: "SELEC", sqlState: "42601", kind: .statement),
        Failing(sql: "SELECT * FROM nothing_here", sqlState: "42P01", kind: .statement),
        Failing(sql: "SELECT CAST('s3cret' AS BIGINT)", sqlState: "22P02", kind: .statement),
        Failing(sql: "SELECT 1/0", sqlState: "22012", kind: .statement),
        Failing(sql: "INSERT INTO one VALUES (1)", sqlState: "23505", kind: .unique),
        Failing(sql: "SELECT pg_sleep(5)", sqlState: "57014", kind: .busy),
    ]) func failureIsTold(_ failing: Failing) throws {
        try connection.execute("CREATE TEMP TABLE one (id BIGINT PRIMARY KEY); INSERT INTO one VALUES (1)")
        if failing.kind == .busy { try connection.execute("SET statement_timeout = 200") }
        for isQueued in [true, false] {
            let error = #expect(throws: EngineError.self) {
                guard isQueued else { return try connection.execute(failing.sql) }
                try connection.prepare(failing.sql).run()
                try connection.synchronize()
            }
            #expect(error?.sqlState == failing.sqlState)
            #expect(error?.kind == failing.kind)
            #expect(error?.message.contains("s3cret") == false)
        }
        #expect(connection.session == 1)
        try connection.execute("RESET statement_timeout")
        #expect(try connection.prepare("SELECT count(*) FROM one").first { $0.integer(0) } == 1)
    }

    /// What is deferred to the commit fails after the last statement's answer, as NOTIFY does when its queue is full.
    @Test func failureAtTheEndOfAPostFailsNothingElse() throws {
        try connection.execute(PostgresConnectionTests.refusing)
        let insert = connection.prepare("INSERT INTO refused VALUES (1)")
        for _ in 0..<2 {
            try insert.run()
            try connection.post()
            try connection.begin()
            #expect(try connection.prepare("SELECT 7").first { $0.integer(0) } == 7)
            try connection.commit()
        }
        try insert.run()
        let error = #expect(throws: EngineError.self) { try connection.synchronize() }
        #expect(error?.sqlState == "P0001")
        #expect(connection.session == 1)
    }

    private static let refusing = """
        CREATE TEMP TABLE refused (id BIGINT);
        CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
        CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON refused DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse()
        """

    struct Code: Sendable, CustomTestStringConvertible {
        var sqlState: String
        var constraint: String?
        var kind: EngineError.Kind
        var testDescription: String { "\(sqlState) \(constraint ?? "")" }
    }

    @Test(arguments: [
        Code(sqlState: "23514", kind: .noPartition),
        Code(sqlState: "23514", constraint: "positive", kind: .statement),
        Code(sqlState: "57014", kind: .busy),
        Code(sqlState: "58030", kind: .serverFault),
        Code(sqlState: "58P01", kind: .serverFault),
        Code(sqlState: "XX000", kind: .serverFault),
        Code(sqlState: "XX001", kind: .serverFault),
        Code(sqlState: "53100", kind: .full),
        Code(sqlState: "08006", kind: .connectionLost),
        Code(sqlState: "P0001", kind: .statement),
    ]) func codesTellWhatFailed(_ code: Code) {
        #expect(EngineError.kind(of: code.sqlState, constraint: code.constraint) == code.kind)
    }

    @Test func boundValuesShowInNoError() throws {
        let statement = connection.prepare("SELECT CAST(CAST(? AS TEXT) AS BIGINT)")
        let error = #expect(throws: EngineError.self) { try statement.first([.text("s3cret")]) { $0.integer(0) } }
        #expect(error.map { "\($0) \($0.advice)" }?.contains("s3cret") == false)
    }

    @Test func failureOfAQueuedStatementPoisonsTheRest() throws {
        try connection.execute("CREATE TEMP TABLE one (id BIGINT PRIMARY KEY)")
        let insert = connection.prepare("INSERT INTO one VALUES (?)")
        try connection.begin()
        for number in [1, 2, 2, 3] as [Int64] { try insert.run([.integer(number)]) }
        let later = connection.prepare("SELECT 5")
        #expect(throws: EngineError.self) { try later.first { $0.integer(0) } }
        #expect(connection.isInTransaction)
        connection.rollback()
        #expect(!connection.isInTransaction)
        #expect(try later.first { $0.integer(0) } == 5)
        #expect(try connection.prepare("SELECT count(*) FROM one").first { $0.integer(0) } == 0)
        #expect(connection.session == 1)
    }

    @Test func failureInsideASavepointLeavesTheTransaction() throws {
        try connection.execute("CREATE TEMP TABLE one (id BIGINT PRIMARY KEY)")
        let insert = connection.prepare("INSERT INTO one VALUES (?)")
        try connection.begin()
        try insert.run([.integer(1)])
        try connection.prepare("SAVEPOINT command").run()
        try insert.run([.integer(1)])
        #expect(throws: EngineError.self) { try connection.synchronize() }
        try connection.prepare("ROLLBACK TO command").run()
        try insert.run([.integer(2)])
        try connection.commit()
        #expect(try connection.prepare("SELECT id FROM one ORDER BY id").all { $0.integer(0) } == [1, 2])
    }

    @Test func commitAfterAFailureIsRefused() throws {
        try connection.begin()
        #expect(throws: EngineError.self) { try connection.prepare("SELECT 1/0").first { $0.integer(0) } }
        let error = #expect(throws: EngineError.self) { try connection.commit() }
        #expect(error?.sqlState == "25P02")
        #expect(!connection.isInTransaction)
    }

    @Test func commitWithoutATransactionIsAnError() throws {
        try connection.open()
        #expect(throws: EngineError.self) { try connection.commit() }
    }

    /// More than both sides' buffers hold, in both directions.
    @Test func fullBuffersDoNotBlock() throws {
        let echo = connection.text("SELECT CAST(? AS BYTEA)")
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        let tickets = try (0..<40).map { _ in try connection.send(echo, [.bytes(bytes)]) }
        for ticket in tickets { #expect(try ticket.take()[0].bytes(0) == bytes) }
    }

    @Test func hundredReadsCostOneRoundTrip() throws {
        let proxy = CuttingProxy(toPort: cluster.port)
        let connection = PostgresConnection(try PostgresURL("postgres://paycast@127.0.0.1:\(proxy.port)/postgres"))
        try connection.open()
        let before = proxy.requests
        let question = connection.text("SELECT CAST(? AS BIGINT)")
        let tickets = try (0..<100).map { try connection.send(question, [.integer(Int64($0))]) }
        #expect(try tickets.map { try $0.take()[0].integer(0) } == Array(0..<100))
        #expect(proxy.requests == before + 1)
    }

    @Test func whatWasPostedFailsAlone() throws {
        try connection.prepare("SELECT 1 / CAST(? AS BIGINT)").run([.integer(0)])
        try connection.post()
        #expect(try connection.prepare("SELECT CAST(2 AS BIGINT)").first { $0.integer(0) } == 2)
        #expect(!connection.isInTransaction)
    }

    @Test func leavingCostsNoRoundTrip() throws {
        let proxy = CuttingProxy(toPort: cluster.port)
        let connection = PostgresConnection(try PostgresURL("postgres://paycast@127.0.0.1:\(proxy.port)/postgres"))
        try connection.open()
        for _ in 0..<3 {
            try connection.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY")
            #expect(try connection.prepare("SELECT 1").first { $0.integer(0) } == 1)
            // Whoever waited for an answer now would lose the session.
            proxy.hold()
            connection.leave()
            #expect(!connection.isInTransaction)
            proxy.release()
        }
        #expect(proxy.connections == 1)
        // Nothing has been sent since: the server has heard of the end.
        let open =
            "SELECT count(*) FROM pg_stat_activity WHERE pid = \(connection.backend) AND xact_start IS NOT NULL"
        try Deadline(.seconds(60)).wait(for: "the end") { try cluster.psql(open) == "0" }
    }

    @Test func sameTextIsPreparedOnce() throws {
        for _ in 0..<3 { _ = try connection.prepare("SELECT 1").first { $0.integer(0) } }
        let count = "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 1'"
        #expect(try connection.prepare(count).first { $0.integer(0) } == 1)
    }

    @Test func settingsReachTheSession() throws {
        var options = PostgresOptions(applicationName: "paycast test")
        options.lock = .milliseconds(1234)
        options.settings = [("search_path", "\"a b\\c\", public")]
        let connection = PostgresConnection(try PostgresURL(cluster.url), options: options)
        func show(_ name: String) throws -> String? { try connection.prepare("SHOW \(name)").first { $0.text(0) } }
        #expect(try show("lock_timeout") == "1234ms")
        #expect(try show("search_path") == "\"a b\\c\", public")
        #expect(try show("application_name") == "paycast test")
    }
}
