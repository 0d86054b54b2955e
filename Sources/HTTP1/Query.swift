internal import Encoding

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
}
