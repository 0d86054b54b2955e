internal import FoundationEssentials

/// How the API's types become JSON and come back. The server only writes with it: it reads what others send with
/// `Encoding`, strictly.
public enum JSON {
    /// Sorts keys, so that equal values have equal bytes. Members are `snake_case`, as in the public interface.
    public static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own structs of strings, numbers and booleans cannot fail to encode.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }

    /// Returns nil if `json` is anything but a `Value`. Ignores members that `Value` does not have.
    public static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) -> Value? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try? decoder.decode(type, from: Data(json))
    }
}
