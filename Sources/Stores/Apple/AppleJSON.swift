internal import FoundationEssentials

/// Writes the JSON of Apple's API; nothing else does.
enum AppleJSON {
    static func encode(_ document: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own structs of strings, whole numbers and Booleans cannot fail to encode.
        return (try? encoder.encode(document)).map { Array($0) } ?? []
    }
}
