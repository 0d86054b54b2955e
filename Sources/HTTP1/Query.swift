/// The part of a target after `?`, as forms and `URLSearchParams` write it: `+` is a space
/// (https://url.spec.whatwg.org/#concept-urlencoded-parser).
public struct Query: Sendable {
    private var pairs: [(name: String, value: String)] = []

    public init() {}

    /// A broken escape, a NUL, or what is no UTF-8 is a flaw: a value that silently went missing would mean another one.
    init(parsing bytes: ArraySlice<UInt8>) throws(HeadFlaw) {
        for argument in bytes.split(separator: UInt8(ascii: "&")) {
            let name = argument.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = Query.decode(name), let value = Query.decode(argument[name.endIndex...].dropFirst())
            else { throw .target }
            pairs.append((decodedName, value))
        }
    }

    /// The first one of this name. Compared as bytes.
    public subscript(name: String) -> String? { pairs.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = PercentEncoding.decode(bytes.contains(plus) ? spaced(bytes) : bytes)
        return text.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }

    private static func spaced(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.map { $0 == plus ? UInt8(ascii: " ") : $0 }[...]
    }

    private static let plus = UInt8(ascii: "+")
}
