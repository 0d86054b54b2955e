import Commands
import Encoding
import Support

/// Prints Prometheus alert rules over the program's own metrics.
struct Alerts: Command {
    static let name = "alerts"
    static let summary = "print Prometheus alert rules"
    static let help = """
        Print Prometheus alert rules.

        Usage: paycast alerts [OPTIONS]

        The rules name only metrics that the program has, and each names the section
        of the Runbook that says what to do. List the file under “rule_files” in
        Prometheus' configuration. Change what you like: it is a beginning.

        Options:
          --runbook URL         where your readers find the Runbook; without it, the
                                file that the Debian package installs

        Example: paycast alerts > /etc/prometheus/paycast.yml
        """
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
