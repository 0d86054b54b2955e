/// A piece of HTML with places for values, such as an element of a file of `public/fragments/`: parsed once into literals and
/// the names of the values between them.
///
/// Values are allowed only where escaping is enough: in text and in quoted attributes.
public struct Template: Sendable, Equatable {
    enum Segment: Equatable {
        case literal([UInt8])
        /// A value, or the author's words where it is empty.
        case value(String, otherwise: [UInt8], isAttribute: Bool)
        /// A value at the start of a URL (`href="{{url}}"`), where `javascript:` would be code.
        case address(String)

        /// Of the value.
        var name: String? {
            switch self {
            case .literal: nil
            case .value(let name, _, _), .address(let name): name
            }
        }
    }

    let segments: [Segment]
    /// The values that are days, of those that it shows.
    let days: [String]
    let showsPrice: Bool

    /// All of `source`, with any names.
    public init(_ source: [UInt8]) throws(MarkupError) { try self.init(source, range: source.indices) }

    /// `values` are the names that the template may use; nil allows any, because they come with a broadcast.
    init(_ source: [UInt8], range: Range<Int>, values: Set<String>? = nil) throws(MarkupError) {
        segments = try TemplateCompiler.segments(of: range, in: source, values: values)
        let shown = segments.compactMap(\.name)
        days = ["access_until", "trial_ends_at"].filter(shown.contains)
        showsPrice = shown.contains("price")
    }

    /// A name that has no value shows nothing. `place` has the ids of the page's elements.
    func append(_ values: [String: String], on place: PageElement? = nil, to bytes: inout [UInt8]) {
        append(to: &bytes) { name, _, bytes in
            HTMLEscaping.append(values[name] ?? place?.id(named: name) ?? "", to: &bytes)
        }
    }

    /// `write` appends the value of that name as `HTMLEscaping` does, or in text as HTML that is safe; where it appends nothing,
    /// the author's words stand.
    public func append(
        to bytes: inout [UInt8],
        _ write: (_ name: String, _ isAttribute: Bool, _ bytes: inout [UInt8]) -> Void
    ) {
        for segment in segments {
            let start = bytes.count
            switch segment {
            case .literal(let literal): bytes.append(contentsOf: literal)
            case .value(let name, let words, let isAttribute):
                write(name, isAttribute, &bytes)
                if bytes.count == start { bytes.append(contentsOf: words) }
            case .address(let name):
                write(name, true, &bytes)
                // Escaping changes no byte that a scheme may have.
                guard !HarmlessAddress.accepts(String(decoding: bytes[start...], as: UTF8.self)) else { break }
                bytes.replaceSubrange(start..., with: "#".utf8)
            }
        }
    }
}

/// Decides whether a value may begin a URL: `javascript:` would be code.
enum HarmlessAddress {
    private static let schemes: Set<String> = ["http", "https", "mailto", "tel"]

    /// True for a relative URL and for one of `schemes`; a template that needs another scheme spells it out.
    static func accepts(_ address: String) -> Bool {
        guard let scheme = scheme(of: address) else { return true }
        return schemes.contains(scheme)
    }

    /// The scheme as a browser reads it: browsers drop leading controls and spaces, and line breaks and tabs anywhere
    /// (https://url.spec.whatwg.org/#concept-basic-url-parser).
    static func scheme(of address: String) -> String? {
        let visible = address.utf8.drop { $0 <= 32 }.filter { ![9, 10, 13].contains($0) }
        guard let end = visible.firstIndex(where: { ":/?#".utf8.contains($0) }), visible[end] == UInt8(ascii: ":")
        else { return nil }
        return String(decoding: visible[..<end], as: UTF8.self).lowercased()
    }
}

/// Turns text into HTML that shows exactly this text, inside an element or a quoted attribute.
public enum HTMLEscaping {
    public static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
            case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
            default: bytes.append(byte)
            }
        }
    }
}
