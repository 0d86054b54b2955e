import Support
import TestSupport
import Testing

@testable import Ledger

@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled, "PostgreSQL 15 is not installed"))
struct PostgresNotificationTests {
    let cluster: PostgresCluster
    let listener: PostgresConnection

    init() throws {
        cluster = try PostgresCluster.shared()
        listener = PostgresConnection(try PostgresURL(cluster.url))
    }

    @Test(arguments: ["plain", "With \"quotes\" and ü"]) func hearsOthersAndItself(_ channel: String)
        throws
    {
        try listener.listen([channel])
        try listener.notify(channel, payloads: ["mine"])
        let own = try listener.wait(timeout: .seconds(10))
        #expect(own.map(\.payload) == ["mine"])
        #expect(own.map(\.channel) == [channel])

        let writer = PostgresConnection(try PostgresURL(cluster.url))
        try writer.prepare("SELECT pg_notify(?, ?)").run([.text(channel), .text("e1:5-7")])
        try writer.synchronize()
        let heard = try listener.wait(timeout: .seconds(10))
        #expect(heard.map(\.payload) == ["e1:5-7"])
        #expect(heard.map(\.backend) == [writer.backend])
        #expect(own.map(\.backend) != [writer.backend])
    }

    @Test func wakesForItsOwner() throws {
        try listener.listen(["quiet"])
        #expect(try listener.wait(timeout: .milliseconds(20)).isEmpty)
        let waker = try #require(EventDescriptor())
        waker.wake()
        let start = ContinuousClock.now
        #expect(try listener.wait(timeout: .seconds(60), waker: waker.descriptor).isEmpty)
        #expect(.now - start < .seconds(30))
    }

    @Test func lostSessionIsTold() throws {
        try listener.listen(["lost"])
        try cluster.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN \"lost\"'"
        )
        let error = #expect(throws: EngineError.self) { try listener.wait(timeout: .seconds(10)) }
        #expect(error?.kind == .shuttingDown)
        let again = #expect(throws: EngineError.self) { try listener.wait(timeout: .seconds(10)) }
        #expect(again?.kind == .connectionLost)

        try listener.listen(["lost"])
        try listener.notify("lost", payloads: ["back"])
        #expect(try listener.wait(timeout: .seconds(10)).map(\.payload) == ["back"])
    }
}
