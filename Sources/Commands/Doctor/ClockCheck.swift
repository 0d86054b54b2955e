import Domain
import Stores

/// Whether the clock is right. Signed dates are compared with it, so with a wrong clock genuine deliveries are refused.
/// Pure.
struct ClockCheck {
    /// The tolerance of Stripe and Apple, in seconds.
    private static let limit = 300

    let now: Instant
    /// The time according to others, with their names.
    let others: [(name: String, now: Instant)]

    var findings: [Finding] {
        guard !others.isEmpty else {
            return [
                .warn(
                    "clock",
                    detail: "no answer had a Date header: check that timedatectl says “synchronized: yes”"
                )
            ]
        }
        return others.map { other in
            let skew = (now.milliseconds - other.now.milliseconds) / 1000
            let words = "\(abs(skew)) s \(skew < 0 ? "behind" : "ahead of") \(other.name)"
            if abs(skew) > ClockCheck.limit {
                return .fail("clock", detail: "\(words): genuine deliveries are refused; synchronize it (NTP)")
            }
            return abs(skew) > 30
                ? .warn("clock", detail: "\(words): synchronize it (NTP)") : .ok("clock", detail: words)
        }
    }

    /// A development server's clock may be moved; it then stays ahead until the next start.
    static func development(now: Instant, server: Instant) -> Finding {
        let skew = (server.milliseconds - now.milliseconds) / 1000
        guard abs(skew) > 30 else { return .ok("clock", detail: "the server's clock agrees with this machine's") }
        let days = skew / 86_400
        let size = days == 0 ? "\(abs(skew)) s" : "\(abs(days)) days"
        let words = "the server's clock is \(size) \(skew < 0 ? "behind" : "ahead of") this machine's"
        return .ok(
            "clock",
            detail: "\(words), as PAYCAST_DEV_NOW or a scenario set it; restart the server to undo that"
        )
    }
}
