internal import Domain

/// Signatures are judged by the clock: a wrong one refuses genuine deliveries. Pure.
struct ClockCheck {
    /// Stripe's and Apple's tolerance.
    private static let limit = 300

    let now: Instant
    /// What others say the time is, by who says it.
    let others: [(name: String, now: Instant)]

    var findings: [Finding] {
        guard !others.isEmpty else {
            return [
                .warn("clock", "nobody told the time with a Date header: see that timedatectl says “synchronized: yes”")
            ]
        }
        return others.map { other in
            let skew = (now.milliseconds - other.now.milliseconds) / 1000
            let words = "\(abs(skew)) s \(skew < 0 ? "behind" : "ahead of") \(other.name)"
            if abs(skew) > ClockCheck.limit {
                return .fail("clock", "\(words): genuine deliveries are refused; synchronize it (NTP)")
            }
            return abs(skew) > 30 ? .warn("clock", "\(words): synchronize it (NTP)") : .ok("clock", words)
        }
    }
}
