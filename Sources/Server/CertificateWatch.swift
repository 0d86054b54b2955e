import Crypto
import Domain
import Gateway
import Support
import Synchronization

/// Notices that the certificate or its key was renewed, and gives new connections the new one. One thread owns it.
struct CertificateWatch {
    private let files: Configuration.TLS
    private let gateways: [Gateway]
    private let health: CertificateHealth
    private let log: Log
    private var seen: [FileVersion?]
    /// The last pair of files that was reported as unusable.
    private var reported: [FileVersion?] = []

    init(_ files: Configuration.TLS, gateways: [Gateway], health: CertificateHealth, log: Log) {
        self.files = files
        self.gateways = gateways
        self.health = health
        self.log = log
        seen = CertificateWatch.stamps(files)
        health.shown(files.certificateFile)
    }

    /// A pair that cannot be used is reported once, and tried again: the second file may not have arrived yet, or the
    /// process may have reached its limit of open files.
    mutating func refresh() {
        let stamps = CertificateWatch.stamps(files)
        guard stamps != seen else { return }
        do throws(ServerIdentityError) {
            let identity = try ServerIdentity(certificateFile: files.certificateFile, keyFile: files.keyFile)
            for gateway in gateways { gateway.renew(identity) }
            seen = stamps
            health.shown(files.certificateFile)
            log.info("certificate renewed", fields: ["file": files.certificateFile])
        } catch {
            health.broken(error.description)
            guard stamps != reported else { return }
            reported = stamps
            log.warning("certificate not renewed, the last good one is kept", fields: ["problem": error.description])
        }
    }

    private static func stamps(_ files: Configuration.TLS) -> [FileVersion?] {
        [FileVersion(files.certificateFile), FileVersion(files.keyFile)]
    }
}

/// The remaining validity of the certificate in use, and the readability of its successor. The watcher reports; any
/// thread may ask.
final class CertificateHealth: Sendable {
    /// Automatic renewal happens 30 days before the end: if half of that has passed, it has failed.
    private static let notice = Duration.seconds(14 * 86_400)
    /// This close to the end, somebody has to act today.
    private static let margin = Duration.seconds(3 * 86_400)

    /// `flaw` is the reason why the newest files are not in use.
    private let state = Mutex<(end: Instant?, flaw: String?)>((nil, nil))

    /// A matching certificate and key are in use from now on.
    func shown(_ certificateFile: String) {
        let end = CertificateSummary.read(pemFile: certificateFile)?.first?.validity.upperBound
        state.withLock { $0 = (end, nil) }
    }

    /// The newest files cannot be used; the last good ones stay in use.
    func broken(_ flaw: String) { state.withLock { $0.flaw = flaw } }

    /// Nil if no certificate is in use.
    var end: Instant? { state.withLock { $0.end } }

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
        end.map { $0 < now + duration } ?? false
    }

    private var text: String? {
        end.map { end in
            "the certificate \(end < now ? "expired" : "expires") on \(end.iso8601.prefix(10)): "
                + "renew it; the server picks up the new file by itself"
        }
    }

    /// Browsers compare it with the real time, whatever a development server's clock says.
    private var now: Instant { Clock().now() }
}
