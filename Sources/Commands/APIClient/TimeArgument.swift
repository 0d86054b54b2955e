public import Domain
internal import Simulator
internal import Support

/// Parses an instant as a person types it: with a time, as a date (midnight UTC), or as the time that has passed since
/// then by the server's clock. Returns nil for anything else.
public func timeArgument(_ text: String) -> Instant? {
    if let instant = Instant(iso8601: text) ?? Instant(iso8601: text + "T00:00:00Z") { return instant }
    guard let ago = try? Duration(text: text[...]) else { return nil }
    let offset = (try? DevelopmentWorkspace.existing(in: "."))?.clockOffset ?? .zero
    return Clock().now() + offset - ago
}
