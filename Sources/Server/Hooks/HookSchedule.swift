import Domain

/// Decides what happens to a message after an attempt: the schedule of the Standard Webhooks specification. Pure.
struct HookSchedule {
    /// The time between an attempt and the next, in seconds. After the last of them, the message has failed: 3 days and 4 hours.
    static let delays: [Int64] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    /// How much longer than that it may take, so that many messages do not come back together.
    static let spread = 0.2
    /// The longest time that a receiver may ask for.
    static let longest = Duration.seconds(86_400)

    /// The attempts that have failed before this one.
    var attempts: Int
    var now: Instant
    /// Between 0 and 1.
    var jitter: Double

    /// What `Retry-After` asks for: seconds, or an HTTP date.
    static func wait(_ retryAfter: String, now: Instant) -> Duration? {
        if let seconds = Int64(retryAfter) { return .seconds(min(max(seconds, 0), longest.components.seconds)) }
        return Instant(httpDate: retryAfter).map { min(max($0.elapsed(since: now), .zero), longest) }
    }

    func result(of answer: HookAnswer) -> HookResult {
        guard !answer.isSuccess else { return .accepted }
        guard answer.status != 410 else { return .gone(reason: answer.text) }
        guard attempts < HookSchedule.delays.count else { return .failed(reason: answer.text) }
        let delay = Double(HookSchedule.delays[attempts]) * (1 + HookSchedule.spread * min(max(jitter, 0), 1))
        let asked = min(answer.retryAfter ?? .zero, HookSchedule.longest)
        return .retry(at: now + max(.milliseconds(Int64(delay * 1000)), asked), reason: answer.text)
    }
}
