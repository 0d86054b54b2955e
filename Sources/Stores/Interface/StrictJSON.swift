public import Encoding

/// A store's document, taken apart with no step back.
public enum StrictJSON {
    public static func object(_ body: [UInt8]) throws(VerificationError) -> JSONNode {
        do throws(JSONObjectError) {
            return try JSONNode.object(strictly: body)
        } catch {
            throw .malformed(error == .repeatedMember ? .duplicateMember : .invalidJSON)
        }
    }
}
