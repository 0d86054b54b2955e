import CPostgres

/// An error or a notice, in the server's words.
struct ServerReport {
    /// `ERROR`, `FATAL`, `PANIC`, `WARNING`, … in any language of the server; empty if the client library itself
    /// reports.
    let severity: String
    let sqlState: String
    let message: String
    let constraint: String?

    init(_ result: OpaquePointer?) {
        severity = ServerReport.field("V", of: result) ?? ""
        sqlState = ServerReport.field("C", of: result) ?? ""
        constraint = ServerReport.field("n", of: result)
        let primary = ServerReport.field("M", of: result)
        let text = primary ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
        message = ServerReport.hasValues(sqlState) ? "a value does not fit" : printable(text)
    }

    /// Messages of data exceptions quote bound values, and those of RAISE contain whatever a trigger puts there.
    private static func hasValues(_ sqlState: String) -> Bool { sqlState.hasPrefix("22") || sqlState.hasPrefix("P0") }

    /// Reads a field by its letter: https://www.postgresql.org/docs/15/protocol-error-fields.html
    private static func field(_ letter: Unicode.Scalar, of result: OpaquePointer?) -> String? {
        PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
    }

    func error(sql: String) -> EngineError {
        let kind = sqlState.isEmpty ? .connectionLost : EngineError.kind(of: sqlState, constraint: constraint)
        return EngineError(kind, sqlState: sqlState, message, sql: sql)
    }
}

/// The first line, without control characters, and short enough for a log.
func printable(_ text: String) -> String {
    let line = text.unicodeScalars.prefix { $0 != "\n" }.prefix(300)
    return String(String.UnicodeScalarView(line.map { $0.properties.generalCategory == .control ? " " : $0 }))
}

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
