import Ledger
import Support
import Synchronization

/// Logs which settings differ between the nodes: when that begins, when it has lasted too long, and when it is over.
final class SettingsWatch: Sendable {
    /// Whether each difference had lasted too long when it was last seen, by the setting's name.
    private let told = Mutex<[String: Bool]>([:])
    private let log: Log

    init(_ log: Log) { self.log = log }

    func look(at report: SharedLedgerReport) {
        let differences = report.differences
        let before = told.withLock { told in
            defer { told = differences.reduce(into: [:]) { $0[$1.setting] = $1.isLasting } }
            return told
        }
        for difference in differences where before[difference.setting] != difference.isLasting {
            let fields: Log.Fields = ["problem": difference.sentence]
            if difference.isLasting {
                log.error("nodes differ for too long", fields: fields)
            } else {
                log.warning("nodes differ", fields: fields)
            }
        }
        for setting in before.keys.sorted() where !differences.contains(where: { $0.setting == setting }) {
            log.info("nodes agree again", fields: ["setting": setting])
        }
    }
}
