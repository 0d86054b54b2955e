import Domain
import Encoding
import Simulator
import Support

/// `/demo/api/clock` of a development server: `PUT {"advance":seconds}` or `{"now":"2026-01-31T12:00:00Z"}` sets its
/// clock, `GET` reads it. Answers `{"now":…}`.
struct ClockStandIn: StandIn {
    /// 1970 to 2100: the range in which every part of the server can compute.
    private static let possible = Instant(milliseconds: 0)...Instant(milliseconds: 4_102_444_800_000)

    private let clock: Clock
    /// Runs after the clock was set: informs the commands, and wakes threads that sleep until an instant.
    private let onChange: @Sendable () -> Void

    init(_ clock: Clock, onChange: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.onChange = onChange
    }

    func answer(_ request: StandInRequest) -> StandInAnswer? {
        if request.method == "GET" { return told(clock.now()) }
        guard request.method == "PUT" else { return nil }
        guard let body = try? JSONNode.object(strictly: request.body), let instant = instant(body),
            ClockStandIn.possible.contains(instant)
        else {
            let message = "Send advance in seconds, or now in ISO 8601; between 1970 and 2100."
            return StandInAnswer(
                status: 400,
                body: Array(#"{"error":"invalid_clock","message":"\#(message)"}"#.utf8)
            )
        }
        clock.set(to: instant)
        onChange()
        return told(instant)
    }

    private func instant(_ body: JSONNode) -> Instant? {
        if let now = body["now"], !now.isNull { return now.text.flatMap { Instant(iso8601: $0) } }
        // A hundred years either way; anything more is never a possible instant.
        guard let seconds = body["advance"]?.integer, (-3_200_000_000...3_200_000_000).contains(seconds) else {
            return nil
        }
        return clock.now() + .seconds(seconds)
    }

    private func told(_ instant: Instant) -> StandInAnswer {
        StandInAnswer(status: 200, body: Array(#"{"now":"\#(instant.iso8601)"}"#.utf8))
    }
}
