internal import Foundation

extension ServerResponse {
    /// In seconds, as Paycast writes it (https://www.rfc-editor.org/rfc/rfc9110#name-retry-after). A proxy's date counts for nothing.
    var retryAfter: TimeInterval? {
        headers["retry-after"].flatMap { TimeInterval($0) }.flatMap { $0.isFinite ? max($0, 0) : nil }
    }
}
