import Glibc
import TestSupport
import Testing

@testable import Server

@Suite struct SystemdNotifierTests {
    struct Watch: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var environment: [String: String]
        var patience: Duration?
    }

    @Test(arguments: [
        Watch(testDescription: "nobody", environment: [:]),
        Watch(
            testDescription: "this process",
            environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"],
            patience: .seconds(30)
        ),
        Watch(testDescription: "whoever runs", environment: ["WATCHDOG_USEC": "500"], patience: .microseconds(500)),
        Watch(testDescription: "another process", environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]),
        Watch(testDescription: "no number", environment: ["WATCHDOG_USEC": "soon"]),
        Watch(testDescription: "no time", environment: ["WATCHDOG_USEC": "0"]),
    ]) func knowsWhetherItIsWatched(_ watch: Watch) {
        #expect(SystemdNotifier(environment: watch.environment, process: 7).patience == watch.patience)
    }

    @Test(arguments: ["", "relative", "/" + String(repeating: "x", count: 200), "/nowhere/notify", "vsock:2:1"])
    func nobodyIsTold(_ address: String) {
        #expect(!SystemdNotifier(environment: ["NOTIFY_SOCKET": address]).notify(.ready))
    }
}
