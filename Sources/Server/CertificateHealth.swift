internal import Concurrency
internal import Crypto
internal import Domain
internal import Synchronization

/// How long the certificate that is shown lasts, and whether its successor could be read. The watcher tells, any
/// thread asks.
final class CertificateHealth: Sendable {
    private struct State {
        /// Nil: none is shown.
        var end: Instant?
        /// Why the newest files are not shown.
        var flaw: String?
    }

    /// Automatic renewal comes 30 days before the end: at half of that it has failed.
    private static let notice = Duration.seconds(14 * 86_400)
    /// Then somebody has to act today.
    private static let margin = Duration.seconds(3 * 86_400)

    private let state = Mutex(State())

    /// A pair that fits, and is shown from now on.
    func shown(_ certificateFile: String) {
        let end = CertificateSummary.read(pemFile: certificateFile)?.first?.validity.upperBound
        state.withLock { $0 = State(end: end) }
    }

    /// The newest files cannot be used; the last good ones are shown.
    func broken(_ flaw: String) { state.withLock { $0.flaw = flaw } }

    var problems: [String] {
        let flaw = state.withLock { $0.flaw }.map { "certificate not renewed, the last good one is shown: \($0)" }
        return [flaw, isEnding(within: CertificateHealth.margin) ? text : nil].compactMap { $0 }
    }

    var warnings: [String] {
        let isEarly = isEnding(within: CertificateHealth.notice) && !isEnding(within: CertificateHealth.margin)
        return isEarly ? [text].compactMap { $0 } : []
    }

    private func isEnding(within duration: Duration) -> Bool {
        state.withLock { $0.end }.map { $0 < now + duration } ?? false
    }

    private var text: String? {
        state.withLock { $0.end }.map { end in
            "the certificate \(end < now ? "has ended" : "ends") on \(end.iso8601.prefix(10)): "
                + "renew it, the server takes the new file by itself"
        }
    }

    /// Browsers judge it by the real time, whatever a development server's clock says.
    private var now: Instant { Clock().now() }
}
