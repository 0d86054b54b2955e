/// Texts of a request, made fit for an address that we hand out.
public enum AddressText {
    /// The characters of Base64 and hexadecimal that mean something else in a query.
    public static func queryEscaped(_ token: String) -> String {
        token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    /// A request's own `Host`: where its sender reached us, a page may reach us too.
    public static func host(_ given: String) -> String {
        given.utf8.allSatisfy(isHostByte) ? given : "localhost"
    }

    static func isHostByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || ".-:[]_".utf8.contains(byte)
    }
}
