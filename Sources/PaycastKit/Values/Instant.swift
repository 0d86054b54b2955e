internal import Foundation

/// An instant as the server writes it, such as `2026-12-22T18:21:51.365Z`.
struct Instant: Codable, Equatable, Sendable {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    var date: Date

    var text: String { date.formatted(Instant.style) }

    init(_ date: Date) {
        self.date = date
    }

    init(text: String) throws {
        date = try (try? Instant.style.parse(text)) ?? Date.ISO8601FormatStyle().parse(text)
    }

    init(from decoder: any Decoder) throws {
        try self.init(text: decoder.singleValueContainer().decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
