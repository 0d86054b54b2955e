internal import FoundationEssentials

/// Decodes a store's JSON into narrow types, which name only the members that we read.
public enum JSONBody {
    /// Returns nil for anything that is not JSON or does not match `type`.
    public static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(json))
    }
}
