internal import FoundationEssentials

/// The only place where the JSON of Apple's API is written and read.
enum AppleJSON {
    static func encode(_ document: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own structs of strings, whole numbers and Booleans cannot fail to encode.
        return (try? encoder.encode(document)).map { Array($0) } ?? []
    }

    /// Nil for anything that is not JSON or does not fit.
    static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(json))
    }
}
