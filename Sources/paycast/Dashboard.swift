import Commands
import Support

/// Prints a Grafana dashboard of the program's own metrics.
struct Dashboard: Command {
    static let name = "dashboard"
    static let summary = "print a Grafana dashboard"
    static let help = """
        Print a Grafana dashboard.

        Usage: paycast dashboard

        Import it into Grafana, and choose the Prometheus that reads /metrics.

        Example: paycast dashboard > paycast.json
        """

    init(_ arguments: inout Arguments) {}

    func run() -> Int32 {
        // A print ends the last line.
        printAsIs(String(decoding: Assets.dashboard.dropLast(), as: UTF8.self))
        return 0
    }
}
