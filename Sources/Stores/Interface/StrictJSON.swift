public import Encoding

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
