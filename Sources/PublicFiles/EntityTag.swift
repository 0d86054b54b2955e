internal import Crypto
internal import Encoding

/// The `ETag` of an answer (RFC 9110 §8.8.3): a hash of its bytes, so that all servers of a deployment agree.
public enum EntityTag {
    public static func of(_ bytes: [UInt8]) -> String { text(SHA256.hash(bytes)) }

    static func text(_ hash: [UInt8]) -> String { "\"\(Hex.encode(Array(hash.prefix(12))))\"" }

    /// Whether the client already has this version.
    public static func isKnown(_ tag: String, ifNoneMatch: String?) -> Bool {
        let known = ifNoneMatch?.split(separator: ",").map { $0.drop { $0 == " " } } ?? []
        return known.contains { $0 == tag || $0 == "W/\(tag)" || $0 == "*" }
    }
}
