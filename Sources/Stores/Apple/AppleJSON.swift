import Domain
import FoundationEssentials

/// Writes the JSON of Apple's API; nothing else does.
enum AppleJSON {
    static func encode(_ document: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own structs of strings, whole numbers and Booleans cannot fail to encode.
        return (try? encoder.encode(document)).map { Array($0) } ?? []
    }
}

/// Milliseconds since 1970, as Apple writes them. Xcode's may be fractional; text is not accepted.
struct AppleDate: Decodable {
    let instant: Instant

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let milliseconds = try container.decode(Double.self).rounded(.down)
        // The range of ECMAScript's Date: 100 million days around 1970.
        guard abs(milliseconds) <= 8.64e15 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a date beyond all calendars")
        }
        instant = Instant(milliseconds: Int64(milliseconds))
    }
}
