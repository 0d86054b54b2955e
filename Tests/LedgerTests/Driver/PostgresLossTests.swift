import TestSupport
import Testing

@testable import Ledger

/// Connections that break.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled, "PostgreSQL 15 is not installed"))
struct PostgresLossTests {
    let cluster: PostgresCluster

    init() throws {
        cluster = try PostgresCluster.shared()
    }

    enum Moment: String, CaseIterable, Sendable {
        case idle, inTransaction, withQueuedWrites
    }

    @Test(arguments: Moment.allCases) func terminatedSessionIsReplaced(_ moment: Moment) throws {
        let connection = PostgresConnection(try PostgresURL(cluster.url))
        let table = "terminated_\(moment)"
        try cluster.psql("CREATE TABLE \(table) (id BIGINT)")
        try connection.open()
        let insert = connection.prepare("INSERT INTO \(table) VALUES (?)")
        if moment != .idle {
            try connection.begin()
            try insert.run([.integer(1)])
        }
        if moment == .inTransaction { try connection.synchronize() }
        try cluster.psql("SELECT pg_terminate_backend(\(connection.backend), 5000)")
        let error = #expect(throws: EngineError.self) {
            try connection.prepare("SELECT 1").first { $0.integer(0) }
        }
        #expect(error?.kind == .shuttingDown || error?.kind == .connectionLost)

        if moment != .idle {
            #expect(connection.isInTransaction)
            #expect(throws: EngineError.self) { try insert.run([.integer(2)]) }
            connection.rollback()
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.prepare("SELECT count(*) FROM \(table)").first { $0.integer(0) } == 0)
        #expect(connection.session == 2)
    }

    @Test func killedServerIsFoundAgain() throws {
        let cluster = try PostgresCluster()
        let connection = PostgresConnection(try PostgresURL(cluster.url))
        try connection.execute("CREATE TABLE kept (id BIGINT)")
        let insert = connection.prepare("INSERT INTO kept VALUES (?)")
        try connection.begin()
        try insert.run([.integer(1)])
        try connection.commit()
        try connection.begin()
        try insert.run([.integer(2)])
        try connection.synchronize()
        try cluster.kill()
        // The session's own process ends when it sees that the postmaster is gone.
        #expect(throws: EngineError.self) {
            while true {
                try connection.prepare("SELECT 1").run()
                try connection.synchronize()
            }
        }
        connection.rollback()
        let error = #expect(throws: EngineError.self) { try connection.open() }
        #expect(error?.kind == .connectionLost)
        try cluster.start()
        #expect(try connection.prepare("SELECT id FROM kept").all { $0.integer(0) } == [1])
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var query: String
        var kind: EngineError.Kind
        var testDescription: String { query }
    }

    @Test(arguments: [
        Refusal(query: "guarded:s3cret@HOST/postgres", kind: .denied),
        Refusal(query: "paycast@HOST/nowhere", kind: .denied),
        Refusal(
            query: "paycast@HOST/postgres?options=-c%20default_transaction_read_only%3Don",
            kind: .readOnly
        ),
        Refusal(
            query: "paycast@127.0.0.1:\(ReservedPort.unused.number)/postgres",
            kind: .connectionLost
        ),
        Refusal(query: "paycast@/postgres?host=/nowhere", kind: .connectionLost),
    ]) func refusedConnectSaysWhy(_ refusal: Refusal) throws {
        let text =
            "postgres://" + refusal.query.split(separator: "HOST").joined(separator: cluster.place)
        let error = #expect(throws: EngineError.self) {
            try PostgresConnection(try PostgresURL(text)).open()
        }
        #expect(error?.kind == refusal.kind)
        #expect(error.map { "\($0) \($0.advice)" }?.contains("s3cret") == false)
    }

    @Test func nextHostIsTried() throws {
        let hosts = "127.0.0.1:\(ReservedPort.unused.number),\(cluster.place)"
        let connection = PostgresConnection(try PostgresURL("postgres://paycast@\(hosts)/postgres"))
        #expect(try connection.prepare("SELECT 1").first { $0.integer(0) } == 1)
    }

    /// At each byte of the exchange: what is called committed is in, what is called lost or refused is not, and after an
    /// unknown outcome the lock shows the truth.
    @Test(arguments: [CuttingProxy.Direction.toServer, .toClient])
    func cutCommitIsNeverCalledCommittedWhenItIsNot(_ direction: CuttingProxy.Direction) throws {
        let proxy = CuttingProxy(toPort: cluster.port)
        let table = direction == .toServer ? "cut_to_server" : "cut_to_client"
        try cluster.psql("CREATE TABLE \(table) (id BIGINT); INSERT INTO \(table) VALUES (-1)")
        let connection = PostgresConnection(
            try PostgresURL("postgres://paycast@127.0.0.1:\(proxy.port)/postgres")
        )
        let direct = PostgresConnection(try PostgresURL(cluster.url))
        let lock = connection.prepare("UPDATE \(table) SET id = ? WHERE id < ?")
        let truth = direct.prepare("SELECT id FROM \(table) FOR UPDATE")
        var unknown = [true: 0, false: 0]
        var committed = 0
        for number in 0..<200 as Range<Int64> {
            try connection.begin()
            try lock.run([.integer(number), .integer(number)])
            try connection.synchronize()
            proxy.cut(after: Int(number), direction)
            let failure: EngineError?
            do throws(EngineError) {
                try connection.commit()
                failure = nil
            } catch {
                failure = error
            }
            connection.rollback()
            proxy.restore()
            let isIn = try truth.first { $0.integer(0) } == number
            switch failure?.kind {
            case nil:
                #expect(isIn, "after \(number) bytes")
                committed += 1
            case .outcomeUnknown: unknown[isIn, default: 0] += 1
            default: #expect(!isIn, "after \(number) bytes")
            }
            // The whole exchange went through.
            if failure == nil, connection.isOpen { break }
        }
        #expect(committed > 0)
        #expect(unknown[direction == .toClient] ?? 0 > 0)
    }
}
