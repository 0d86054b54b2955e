/// Makes parts of a request safe for an address that we hand out.
public enum AddressText {
    /// Escapes the characters of Base64 that have another meaning in a query.
    public static func queryEscaped(_ token: String) -> String {
        token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    /// A request's own `Host`, or `localhost` if malformed: where its sender reached us, a page can reach us too.
    public static func host(_ given: String) -> String {
        given.utf8.allSatisfy(isHostByte) ? given : "localhost"
    }

    public static func isHostByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || ".-:[]_".utf8.contains(byte)
    }
}
