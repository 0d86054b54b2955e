public import Encoding
import FoundationEssentials

/// Reads a store's document as JSON, and refuses repeated members.
public enum StrictJSON {
    public static func object(_ body: [UInt8]) throws(VerificationError) -> JSONNode {
        do throws(JSONObjectError) {
            return try JSONNode.object(strictly: body)
        } catch {
            throw .malformed(error == .repeatedMember ? .duplicateMember : .invalidJSON)
        }
    }
}

/// Decodes a store's JSON into narrow types, which name only the members that we read.
public enum JSONBody {
    /// Returns nil for anything that is not JSON or does not match `type`.
    public static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(json))
    }
}
