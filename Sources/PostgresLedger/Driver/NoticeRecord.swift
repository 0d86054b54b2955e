internal import CPostgres

/// Messages that the server sent unasked: warnings, and the reason why it ends an idle session. None is printed, as
/// libpq would do by default.
final class NoticeRecord {
    /// The newest warning since the last COMMIT was sent.
    var warning: ServerReport?
    /// The reason why the session is about to end.
    private(set) var closingReason: ServerReport?

    func add(_ report: ServerReport) {
        switch report.severity {
        case "WARNING": warning = report
        case "FATAL", "PANIC": closingReason = report
        default: break
        }
    }

    /// The record must outlive `connection`.
    func attach(to connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context else { return }
                Unmanaged<NoticeRecord>.fromOpaque(context).takeUnretainedValue().add(ServerReport(result))
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
