internal import Foundation

/// An instant as the server writes it, such as `2026-12-22T18:21:51.365Z`.
enum Instant {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(of date: Date) -> String { date.formatted(style) }

    static func date(of text: String) throws -> Date {
        try (try? style.parse(text)) ?? Date.ISO8601FormatStyle().parse(text)
    }
}

extension JSONDecoder {
    static var ofServer: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { try Instant.date(of: $0.singleValueContainer().decode(String.self)) }
        return decoder
    }
}
