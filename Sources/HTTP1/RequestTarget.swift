/// What a request is about (RFC 9112 §3.2), percent-decoded.
struct RequestTarget {
    /// `*` for a request about the whole server, and for CONNECT.
    let path: String
    let query: Query
    /// Of the absolute form, and of CONNECT.
    let authority: String?

    init(_ bytes: ArraySlice<UInt8>, method: String) throws(HeadFlaw) {
        // Anything else has to be escaped (RFC 3986 §2); what stands behind # never leaves a client (RFC 9110 §4.2.5).
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "#") }) else {
            throw .target
        }
        if method == "CONNECT" || method == "OPTIONS" && bytes.elementsEqual("*".utf8) {
            let isTunnel = method == "CONNECT"
            guard !isTunnel || Authority.isValid(bytes) else { throw .target }
            path = "*"
            query = Query()
            authority = isTunnel ? String(decoding: bytes, as: UTF8.self) : nil
            return
        }
        let (authority, rest) = try RequestTarget.split(bytes)
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        guard let text = PercentEncoding.decode(path), text.utf8.allSatisfy({ $0 != 0 }), !text.utf8.hasParent else {
            throw .target
        }
        self.authority = authority
        self.path = text.isEmpty ? "/" : text
        query = try Query(parsing: rest[path.endIndex...].dropFirst())
    }

    /// The authority of an absolute form, and the path with the query.
    private static func split(_ bytes: ArraySlice<UInt8>) throws(HeadFlaw) -> (String?, ArraySlice<UInt8>) {
        if bytes.first == UInt8(ascii: "/") { return (nil, bytes) }
        for scheme in ["http://", "https://"] where bytes.prefix(scheme.utf8.count).isSameToken(as: scheme) {
            let rest = bytes.dropFirst(scheme.utf8.count)
            // A query without a path is refused with it: readers differ in where its authority ends.
            let authority = rest.prefix { $0 != UInt8(ascii: "/") }
            guard Authority.isValid(authority) else { throw .target }
            return (String(decoding: authority, as: UTF8.self), rest[authority.endIndex...])
        }
        throw .target
    }
}

/// `HOST[:PORT]`, without user information.
enum Authority {
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        var host = bytes
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = bytes[(bytes.startIndex + 1)..<end]
            guard !address.isEmpty, address.allSatisfy({ isHexDigit($0) || ":.".utf8.contains($0) }) else {
                return false
            }
            host = bytes[(end + 1)...]
            return host.isEmpty || isPort(host)
        }
        let name = host.prefix { $0 != UInt8(ascii: ":") }
        guard (1...255).contains(name.count), name.allSatisfy(isNameByte), !hasEmptyLabel(name) else { return false }
        return name.endIndex == host.endIndex || isPort(host[name.endIndex...])
    }

    /// Before its end, where an empty one is the root.
    private static func hasEmptyLabel(_ name: ArraySlice<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        return name.first == dot || zip(name, name.dropFirst()).contains { $0 == dot && $1 == dot }
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: ":") && bytes.count <= 6 && bytes.dropFirst().allSatisfy(isDigit)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte) || ".-_".utf8.contains(byte)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
}

extension String.UTF8View {
    /// A segment is `..`: nothing here has a parent, and readers differ in what it would be.
    fileprivate var hasParent: Bool {
        contains(UInt8(ascii: ".")) && split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }
}
