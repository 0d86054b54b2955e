/// The body of `PUT /demo/api/clock` on a development server. The route also takes `now`.
public struct ClockRequest: Codable, Sendable, Equatable {
    /// By how many seconds to move the clock.
    public var advance: Int64

    public init(advance: Int64) { self.advance = advance }
}

/// Answers `PUT` and `GET /demo/api/clock`.
public struct ClockAnswer: Codable, Sendable, Equatable {
    /// The server's time: ISO 8601, UTC.
    public var now: String
}
