internal import FoundationEssentials

/// The only place where a store's JSON is decoded. Narrow types name only the members that we read.
public enum JSONBody {
    /// Nil for anything that is not JSON or does not fit.
    public static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(json))
    }
}
