public import Crypto
public import Domain

/// One thing that `paycast doctor` looked at.
public struct Finding: Sendable, Equatable {
    public enum Level: String, Sendable {
        case ok
        case warn
        case fail = "FAIL"
    }

    public var level: Level
    /// Two or three words.
    public var what: String
    /// The finding, and advice. Never a secret.
    public var detail: String

    public static func ok(_ what: String, detail: String) -> Finding {
        Finding(level: .ok, what: what, detail: detail)
    }

    public static func warn(_ what: String, detail: String) -> Finding {
        Finding(level: .warn, what: what, detail: detail)
    }

    public static func fail(_ what: String, detail: String) -> Finding {
        Finding(level: .fail, what: what, detail: detail)
    }
}

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

extension StoreAPI {
    /// Asks for a purchase that does not exist, to learn whether the key may read.
    func finding(_ name: String, of contract: ContractKey, success: String, now: Instant) -> Finding {
        do throws(StoreAPIError) {
            _ = try statement(of: contract, now: now)
            return .ok(name, detail: success)
        } catch .unavailable(let reason, _) {
            return .fail(name, detail: "no answer: \(reason)")
        } catch {
            return .fail(name, detail: "\(error)")
        }
    }
}
