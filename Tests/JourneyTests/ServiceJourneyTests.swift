import TestSupport
import Testing

/// What systemd hears of the server, over a socket in a folder and over one without a file.
@Suite(.timeLimit(.minutes(10)), .blocking) struct ServiceJourneyTests {
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
