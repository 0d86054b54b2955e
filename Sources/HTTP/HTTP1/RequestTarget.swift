import Encoding

/// The target of a request (RFC 9112 §3.2), percent-decoded.
struct RequestTarget {
    /// `*` for a request about the whole server, and for CONNECT.
    let path: String
    let query: Query
    /// The authority of the absolute form or of CONNECT; nil in other forms.
    let authority: String?

    init(_ bytes: ArraySlice<UInt8>, method: String) throws(HeadFlaw) {
        // Anything else has to be escaped (RFC 3986 §2), and a fragment (#) never leaves a client (RFC 9110 §4.2.5).
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "#") }) else {
            throw .target
        }
        if method == "CONNECT" || method == "OPTIONS" && bytes.isText("*") {
            let isTunnel = method == "CONNECT"
            guard !isTunnel || Authority.isValid(bytes) else { throw .target }
            path = "*"
            query = Query()
            authority = isTunnel ? String(decoding: bytes, as: UTF8.self) : nil
            return
        }
        let (authority, rest) = try RequestTarget.split(bytes)
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        guard let text = PercentEncoding.decode(path), !path.mayHaveParent || !path.hasParent else { throw .target }
        self.authority = authority
        self.path = text.isEmpty ? "/" : text
        query = try Query(parsing: rest[path.endIndex...].dropFirst())
    }

    /// Returns the authority of an absolute form, and the path with the query.
    private static func split(_ bytes: ArraySlice<UInt8>) throws(HeadFlaw) -> (String?, ArraySlice<UInt8>) {
        if bytes.first == UInt8(ascii: "/") { return (nil, bytes) }
        for scheme: StaticString in ["http://", "https://"] {
            let length = scheme.utf8CodeUnitCount
            guard bytes.prefix(length).isSameToken(as: scheme) else { continue }
            let rest = bytes.dropFirst(length)
            // This refuses a query without a path too: parsers differ in where the authority before it ends.
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
        guard (1...255).contains(name.count), isName(name) else { return false }
        return name.endIndex == host.endIndex || isPort(host[name.endIndex...])
    }

    /// Labels of letters, digits, `-` and `_`. Only the last label may be empty: it stands for the root.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        var previous = UInt8(ascii: ".")
        for byte in name {
            guard nameBytes.contains(byte), byte != UInt8(ascii: ".") || byte != previous else { return false }
            previous = byte
        }
        return true
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: ":") && bytes.count <= 6 && bytes.dropFirst().allSatisfy(isDigit)
    }
}

extension ArraySlice<UInt8> {
    /// Whether a segment is `..`, escaped or not. No path here has a parent, and parsers differ in how they resolve one. An id
    /// with an escaped slash in it is one segment, whatever stands beside the slash.
    fileprivate var hasParent: Bool {
        split(separator: UInt8(ascii: "/")).contains { part in
            part.count <= "%2E%2E".utf8.count && PercentEncoding.decode(part)?.utf8.elementsEqual("..".utf8) == true
        }
    }

    /// Whether there is a dot, or an escape that may stand for one.
    fileprivate var mayHaveParent: Bool { contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") } }
}

/// Digits, letters, `.`, `-` and `_`.
private let nameBytes = ByteSet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_87FF_FFFE)

/// The part of a target after `?`, as forms and `URLSearchParams` write it: `+` is a space
/// (https://url.spec.whatwg.org/#concept-urlencoded-parser).
public struct Query: Sendable {
    private var pairs: [(name: String, value: String)] = []

    public init() {}

    /// Parses the body of a form; nil when it is malformed.
    public init?(form bytes: [UInt8]) {
        do { try self.init(parsing: bytes[...]) } catch { return nil }
    }

    /// A broken escape, a NUL, or invalid UTF-8 is a flaw: silently dropping a value would change what the query means.
    init(parsing bytes: ArraySlice<UInt8>) throws(HeadFlaw) {
        var rest = bytes
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
            let argument = rest[..<end]
            rest = rest[end...].dropFirst()
            guard !argument.isEmpty else { continue }
            let equals = argument.firstIndex(of: UInt8(ascii: "=")) ?? end
            guard let name = PercentEncoding.decode(argument[..<equals], plusIsSpace: true),
                let value = PercentEncoding.decode(argument[equals...].dropFirst(), plusIsSpace: true)
            else { throw .target }
            pairs.append((name, value))
        }
    }

    /// The first value of this name. Names are compared as bytes.
    public subscript(name: String) -> String? { pairs.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

    /// All values of this name, in their order.
    public func all(_ name: String) -> [String] {
        pairs.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }
}
