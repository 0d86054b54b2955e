internal import Concurrency
internal import Domain
internal import Simulator

/// An instant as a person types it: with its time, as a date (its midnight in UTC), or as how long ago it is by the
/// server's clock. Nil for anything else.
func moment(_ text: String) -> Instant? {
    if let instant = Instant(iso8601: text) ?? Instant(iso8601: text + "T00:00:00Z") { return instant }
    guard let ago = try? ScenarioParser.duration(text[...]) else { return nil }
    let offset = (try? DevelopmentWorkspace.existing(in: "."))?.clockOffset ?? .zero
    return Clock().now() + offset - ago
}
