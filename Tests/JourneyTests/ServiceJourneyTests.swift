import TestSupport
import Testing

/// What systemd hears of the server, over a socket in a folder and over one without a file.
@Suite(.blocking) struct ServiceJourneyTests {
    /// PostgreSQL does not answer: starting the node again would only close its pages.
    @Test(.enabled(if: PostgresCluster.isInstalled)) func aDatabaseThatHangsEndsNoNode() throws {
        let cluster = try PostgresCluster()
        let proxy = StallingProxy(toPort: cluster.port)
        let folder = TemporaryFolder()
        let socket = try DatagramSocket(at: folder.path("notify"), isAbstract: false)
        let url = "postgres://paycast@127.0.0.1:\(proxy.port)/postgres?sslmode=disable"
        let server = try PaycastServer(
            environment: ["DATABASE_URL": url, "NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "3000000"]
        )
        #expect(try socket.receive() == "READY=1")
        proxy.stall("paycast")
        proxy.waitUntilStalled(4)
        // Twice before the reader gives its connection up, which it does after 30 s.
        let limit = Deadline(.seconds(25))
        for _ in 0..<3 { #expect(try socket.receive() == "WATCHDOG=1") }
        #expect(!limit.hasPassed)
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [false, true]) func systemdIsToldOfTheWholeLife(_ isAbstract: Bool) throws {
        let folder = TemporaryFolder()
        let socket = try DatagramSocket(at: folder.path("notify"), isAbstract: isAbstract)
        let environment = ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "300000"]
        let server = try PaycastServer(environment: environment)
        #expect(try socket.receive() == "READY=1")
        for _ in 0..<3 { #expect(try socket.receive() == "WATCHDOG=1") }
        let process = server.process
        process.send(.terminate)
        var heard = try socket.receive()
        while heard == "WATCHDOG=1" { heard = try socket.receive() }
        #expect(heard == "STOPPING=1")
        #expect(try process.waitForExit() == 0)
    }
}
