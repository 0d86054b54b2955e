public import Domain
import Simulator
import Support

extension Duration {
    /// Parses a duration as a person types it: `31d`, `12h30m` or `90s`; at most ten years.
    public init(text: Substring) throws(CommandFailure) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        var total = 0
        var rest = text
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard digits.count <= 9, let number = Int(digits), let unit = rest.popFirst().flatMap({ units[$0] }) else {
                throw CommandFailure("\(quoted(String(text))) is not a duration such as 31d, 12h30m or 90s")
            }
            total += number * unit
        }
        guard !text.isEmpty, total <= 3650 * 86_400 else {
            throw CommandFailure("\(quoted(String(text))) is not a duration of at most ten years")
        }
        self = .seconds(total)
    }
}

/// Parses an instant as a person types it: with a time, as a date (midnight UTC), or as the time that has passed since
/// then by the server's clock. Returns nil for anything else.
public func timeArgument(_ text: String) -> Instant? {
    if let instant = Instant(iso8601: text) ?? Instant(iso8601: text + "T00:00:00Z") { return instant }
    guard let ago = try? Duration(text: text[...]) else { return nil }
    let offset = (try? DevelopmentWorkspace.existing(in: "."))?.clockOffset ?? .zero
    return Clock().now() + offset - ago
}
