import Commands

/// Prints Prometheus alert rules over the program's own metrics.
struct Alerts: Command {
    static let name = "alerts"

    private let runbook: String

    init(_ arguments: inout Arguments) throws(UsageError) {
        runbook = try arguments.option("--runbook") ?? AlertRule.packagedRunbook
    }

    func run() -> Int32 {
        printAsIs(AlertRule.file(AlertRule.all, runbook: runbook))
        return 0
    }
}

/// Prints a Grafana dashboard of them.
struct PrintDashboard: Command {
    static let name = "dashboard"

    init(_ arguments: inout Arguments) {}

    func run() -> Int32 {
        printAsIs(Dashboard.standard.json)
        return 0
    }
}
