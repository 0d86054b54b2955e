internal import FoundationEssentials

/// Reads and writes the JSON of Apple's API; nothing else does.
enum AppleJSON {
    static func encode(_ document: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own structs of strings, whole numbers and Booleans cannot fail to encode.
        return (try? encoder.encode(document)).map { Array($0) } ?? []
    }

    /// Returns nil for anything that is not JSON or does not match `type`.
    static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(json))
    }
}
