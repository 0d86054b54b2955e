import Pages

/// HTML that is safe to insert into a page. Only a template can make it, so whatever came from outside has been escaped.
struct Markup: Sendable, Equatable {
    let html: String

    fileprivate init(rendered html: String) {
        self.html = html
    }

    static let empty = Markup(rendered: "")

    static func + (left: Markup, right: Markup) -> Markup { Markup(rendered: left.html + right.html) }
}

extension Sequence<Markup> {
    func joined() -> Markup { Markup(rendered: map(\.html).joined()) }
}

/// A piece of a page, with places for values: `{{name}}` in text, or in an attribute with quotes. Every value but `Markup` is
/// escaped.
struct ConsoleTemplate: Sendable {
    private let template: Template?

    static let empty = ConsoleTemplate(template: nil)

    private init(template: Template?) {
        self.template = template
    }

    init(_ source: String) throws(MarkupError) {
        template = try Template(Array(source.utf8))
    }

    /// A value that is not given shows as nothing; a test finds it.
    func render(_ values: [String: any TemplateValue] = [:]) -> Markup {
        var bytes: [UInt8] = []
        template?.append(to: &bytes) { name, isAttribute, bytes in
            assert(values[name] != nil, "no value for \(name)")
            bytes.append(contentsOf: (values[name]?.html(isAttribute: isAttribute) ?? "").utf8)
        }
        return Markup(rendered: String(decoding: bytes, as: UTF8.self))
    }
}
