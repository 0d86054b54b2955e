import Commands
import Encoding
import Support

/// Prints Prometheus alert rules over the program's own metrics.
struct Alerts: Command {
    static let name = "alerts"
    /// Where the installed package has the article, and the rules say that it is.
    private static let packagedRunbook = "file:///usr/share/doc/paycast/Runbook.md"

    private let runbook: String

    init(_ arguments: inout Arguments) throws(UsageError) {
        runbook = try arguments.option("--runbook") ?? Alerts.packagedRunbook
    }

    func run() -> Int32 {
        let lines = String(decoding: Assets.alerts, as: UTF8.self).split(separator: "\n")
        // Comments between the rules are for those who change them.
        let rules = lines.filter { !$0.hasPrefix("      #") }.joined(separator: "\n")
        let address = JSONLiteral.literal(runbook).dropLast()
        printAsIs(rules.replacing("\"\(Alerts.packagedRunbook)#", with: "\(address)#"))
        return 0
    }
}

/// Prints a Grafana dashboard of them.
struct Dashboard: Command {
    static let name = "dashboard"

    init(_ arguments: inout Arguments) {}

    func run() -> Int32 {
        // A print ends the last line.
        printAsIs(String(decoding: Assets.dashboard.dropLast(), as: UTF8.self))
        return 0
    }
}
