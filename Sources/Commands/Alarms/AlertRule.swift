internal import Encoding

/// An alarm as a Prometheus alerting rule
/// (https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/). Pure.
public struct AlertRule: Sendable {
    enum Severity: String {
        /// Somebody is woken: buyers do not get what they paid for, or soon will not.
        case critical
        /// Somebody looks tomorrow.
        case warning
    }

    let name: String
    /// Each series that it returns is an alarm.
    private(set) var expression = ""
    /// How long it must hold, in Prometheus' words: `5m`.
    private(set) var lasting = "0m"
    let severity: Severity
    /// One sentence. May name labels of the expression: `{{ $labels.provider }}`.
    private(set) var summary = ""
    /// The heading of the Runbook that says what to do.
    let section: String

    static func critical(_ name: String, see section: String) -> AlertRule {
        AlertRule(name: "Paycast" + name, severity: .critical, section: section)
    }

    static func warning(_ name: String, see section: String) -> AlertRule {
        AlertRule(name: "Paycast" + name, severity: .warning, section: section)
    }

    func when(_ expression: String, for lasting: String = "0m") -> AlertRule {
        var rule = self
        (rule.expression, rule.lasting) = (expression, lasting)
        return rule
    }

    func says(_ summary: String) -> AlertRule {
        var rule = self
        rule.summary = summary
        return rule
    }

    /// Where the installed package has the article.
    public static let packagedRunbook = "file:///usr/share/doc/paycast/Runbook.md"

    /// A file for `rule_files`. `runbook` is the address of the article of that name.
    public static func file(_ rules: [AlertRule], runbook: String) -> String {
        let head = "# Made by “paycast alerts”.\ngroups:\n  - name: paycast\n    rules:"
        return ([head] + rules.map { $0.yaml(runbook: runbook) }).joined(separator: "\n")
    }

    private func yaml(runbook: String) -> String {
        """
              - alert: \(name)
                expr: \(JSONLiteral.literal(expression))
                for: \(lasting)
                labels:
                  severity: \(severity.rawValue)
                annotations:
                  summary: \(JSONLiteral.literal(summary))
                  runbook_url: \(JSONLiteral.literal("\(runbook)#\(anchor)"))
        """
    }

    /// As DocC makes it of a heading.
    private var anchor: String {
        String(section.filter { $0.isLetter || $0.isNumber || $0 == " " }.map { $0 == " " ? "-" : $0 })
    }
}
