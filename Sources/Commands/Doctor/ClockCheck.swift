import API
import Domain
import Stores

/// Whether the clock is right. Signed dates are compared with it, so with a wrong clock genuine deliveries are refused.
/// Pure.
struct ClockCheck {
    /// What the server says, or else what the stores have just answered to this machine.
    let words: [StoreClockAnswer]

    var findings: [Finding] {
        guard !words.isEmpty else {
            let todo = "check that timedatectl says “synchronized: yes”"
            return [.warn("clock", detail: "no store has said what time it is, as its API would with a key: \(todo)")]
        }
        return words.map { word in
            switch abs(word.aheadSeconds) {
            case ...StoreClock.notice: .ok("clock", detail: word.words)
            case ...StoreClock.limit: .warn("clock", detail: word.words)
            default: .fail("clock", detail: word.words)
            }
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
