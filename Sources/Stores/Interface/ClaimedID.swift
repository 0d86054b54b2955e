internal import Domain
internal import Encoding

/// What a delivery that proves nothing says about itself. It tells a store with whose secret something is wrong from
/// strangers who post junk, and decides nothing. What it returns may be logged: it is short and has no other characters
/// than letters, digits, `_`, `-` and `.`.
public enum ClaimedID {
    /// Bodies beyond this are not looked into. The largest genuine ones have about 100 KB.
    static let limit = 256 << 10

    public static func object(_ body: [UInt8]) -> StoreObject? {
        body.count <= limit ? StoreObject(JSONNode(body)) : nil
    }

    /// A member that has a store's form of ids: 8 to 64 characters after `prefix`.
    public static func text(_ name: String, in object: StoreObject?, prefix: String = "") -> String? {
        guard let text = object?[name]?.text, text.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = text.utf8.dropFirst(prefix.utf8.count)
        return (8...64).contains(rest.count) && text.utf8.allSatisfy(isPlain) ? text : nil
    }

    /// A member that is a UUID.
    public static func uuid(_ name: String, in object: StoreObject?) -> String? {
        guard let text = text(name, in: object), text.utf8.count == 36 else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isRight = parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { Hex.decode(String($0)) != nil }
        return isRight ? text : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
