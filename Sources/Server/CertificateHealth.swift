internal import Crypto
internal import Domain
internal import Support
internal import Synchronization

/// The remaining validity of the certificate in use, and the readability of its successor. The watcher reports; any
/// thread may ask.
final class CertificateHealth: Sendable {
    private struct State {
        /// Nil if no certificate is in use.
        var end: Instant?
        /// The reason why the newest files are not in use.
        var flaw: String?
    }

    /// Automatic renewal happens 30 days before the end: if half of that has passed, it has failed.
    private static let notice = Duration.seconds(14 * 86_400)
    /// This close to the end, somebody has to act today.
    private static let margin = Duration.seconds(3 * 86_400)

    private let state = Mutex(State())

    /// A matching certificate and key are in use from now on.
    func shown(_ certificateFile: String) {
        let end = CertificateSummary.read(pemFile: certificateFile)?.first?.validity.upperBound
        state.withLock { $0 = State(end: end) }
    }

    /// The newest files cannot be used; the last good ones stay in use.
    func broken(_ flaw: String) { state.withLock { $0.flaw = flaw } }

    var problems: [String] {
        let flaw = state.withLock { $0.flaw }.map {
            "the new certificate cannot be used, so the last good one is still shown: \($0)"
        }
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
            "the certificate \(end < now ? "expired" : "expires") on \(end.iso8601.prefix(10)): "
                + "renew it; the server picks up the new file by itself"
        }
    }

    /// Browsers compare it with the real time, whatever a development server's clock says.
    private var now: Instant { Clock().now() }
}
