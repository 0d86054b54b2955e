import HTTP

/// How long a connection may keep doing the same thing.
struct IdlePolicy {
    /// The activity of a client.
    enum Occupation: Equatable, Sendable {
        /// It has not sent a request yet.
        case beginning
        /// It has no request open.
        case idle
        /// It has requests open, which the loop watches one by one.
        case serving
        /// It does not take what it is sent.
        case writing
    }

    private var occupation = Occupation.serving
    private var progress = 0
    private var since: UInt64 = 0

    /// Returns true when nothing has changed for too long. `now` is in nanoseconds.
    mutating func isOver(_ occupation: Occupation, progress: Int, at now: UInt64, limits: Limits) -> Bool {
        guard occupation == self.occupation, progress == self.progress else {
            self.occupation = occupation
            self.progress = progress
            since = now
            return false
        }
        guard let seconds = IdlePolicy.seconds(for: occupation, limits: limits) else { return false }
        return now - since >= UInt64(max(0, seconds)) * 1_000_000_000
    }

    /// Nil: there is no limit.
    static func seconds(for occupation: Occupation, limits: Limits) -> Int? {
        switch occupation {
        case .beginning: limits.headerSeconds
        case .idle: limits.idleSeconds
        case .serving: nil
        case .writing: limits.writeSeconds
        }
    }
}
