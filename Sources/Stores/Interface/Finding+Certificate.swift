public import Crypto
public import Domain

extension Finding {
    /// When a certificate ends. `days` before its end this becomes a warning, and `todo` says what to do then.
    public static func expiry(
        _ what: String,
        of certificate: CertificateSummary,
        at now: Instant,
        notice days: Int,
        todo: String
    ) -> Finding {
        let end = certificate.validity.upperBound
        let left = (end.milliseconds - now.milliseconds) / 86_400_000
        let date = end.iso8601.prefix(10)
        if now > end { return .fail(what, detail: "\(certificate.name) expired on \(date): \(todo)") }
        if now < certificate.validity.lowerBound {
            let begin = certificate.validity.lowerBound.iso8601
            return .fail(what, detail: "\(certificate.name) is not valid before \(begin): check the clock")
        }
        if left < days {
            return .warn(what, detail: "\(certificate.name) expires on \(date), in \(left) days: \(todo)")
        }
        return .ok(what, detail: "\(certificate.name) is valid until \(date)")
    }
}
