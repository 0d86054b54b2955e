/// One element of a template file, parsed once into literals and the names of the values between them.
///
/// Values are always escaped, and allowed only where escaping is enough: in text and in quoted attributes.
struct Template: Equatable {
    enum Segment: Equatable {
        case literal([UInt8])
        case value(String)
        /// A value at the start of a URL (`href="{{url}}"`), where `javascript:` would be code.
        case address(String)
    }

    let segments: [Segment]

    init(_ source: [UInt8]) throws(TemplateError) {
        try self.init(source, range: source.indices)
    }

    /// `values` are the names that the template may use; nil allows any, because they come with a broadcast.
    init(_ source: [UInt8], range: Range<Int>, values: Set<String>? = nil) throws(TemplateError) {
        segments = try TemplateCompiler.segments(of: range, in: source, values: values)
    }

    func shows(_ value: String) -> Bool { segments.contains(.value(value)) || segments.contains(.address(value)) }

    /// A name that has no value shows nothing.
    func append(_ values: [String: String], to bytes: inout [UInt8]) {
        for segment in segments {
            switch segment {
            case .literal(let literal): bytes.append(contentsOf: literal)
            case .value(let name): HTMLEscaping.append(values[name] ?? "", to: &bytes)
            case .address(let name):
                let address = values[name] ?? ""
                HTMLEscaping.append(HarmlessAddress.accepts(address) ? address : "#", to: &bytes)
            }
        }
    }
}
