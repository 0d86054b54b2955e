import Encoding
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

/// A piece of a page, with places for values: `{{name}}` in text, or in an attribute with double quotes. Every value but
/// `Markup` is escaped.
struct ConsoleTemplate: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case value(name: String, isAttribute: Bool)
    }

    private let segments: [Segment]

    static let empty = ConsoleTemplate(segments: [])

    /// A value that is not given shows as nothing; a test finds it.
    func render(_ values: [String: any TemplateValue] = [:]) -> Markup {
        var html = ""
        for segment in segments {
            switch segment {
            case .literal(let text): html += text
            case .value(let name, let isAttribute):
                assert(values[name] != nil, "no value for \(name)")
                html += values[name]?.html(isAttribute: isAttribute) ?? ""
            }
        }
        return Markup(rendered: html)
    }
}

/// Why templates cannot be used: one line for each problem.
struct ConsoleTemplateError: Error, CustomStringConvertible {
    let description: String
}

extension ConsoleTemplate {
    /// Refuses a place where an escaped value could still be code: outside of quotes, in a script, in an attribute that is
    /// one, or at the beginning of an address.
    init(_ source: String) throws(ConsoleTemplateError) {
        func flaw(_ reason: String, at index: String.Index) -> ConsoleTemplateError {
            let line = source[..<index].count { $0.isNewline } + 1
            return ConsoleTemplateError(description: "line \(line): \(reason)")
        }
        let page = try TemplatePage(source)
        var segments: [Segment] = []
        var rest = source[...]
        while let start = range(of: "{{", in: rest) {
            let tail = rest[start.upperBound...]
            guard let end = range(of: "}}", in: tail), ConsoleTemplate.isName(tail[..<end.lowerBound]) else {
                throw flaw("{{ is not followed by a name and }}", at: start.lowerBound)
            }
            let place = page.place(at: source.utf8.distance(from: source.startIndex, to: start.lowerBound))
            if let reason = place.refusal { throw flaw(reason, at: start.lowerBound) }
            segments.append(.literal(String(rest[..<start.lowerBound])))
            segments.append(.value(name: String(tail[..<end.lowerBound]), isAttribute: place.isAttribute))
            rest = tail[end.upperBound...]
        }
        segments.append(.literal(String(rest)))
        self.segments = segments
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }
}

/// A template's source as a browser reads it.
private struct TemplatePage {
    private let scanner: HTMLScanner
    private let tokens: [HTMLToken]

    init(_ source: String) throws(ConsoleTemplateError) {
        var (scanner, tokens) = (HTMLScanner(source), [HTMLToken]())
        do throws(MarkupError) {
            while let token = try scanner.next() { tokens.append(token) }
        } catch {
            throw ConsoleTemplateError(description: error.description)
        }
        (self.scanner, self.tokens) = (scanner, tokens)
    }

    /// What stands at a byte offset: `refusal` says why no value may; nil where it may.
    func place(at offset: Int) -> (isAttribute: Bool, refusal: String?) {
        guard let token = tokens.first(where: { $0.range.contains(offset) }), token.kind != .text else {
            return (false, nil)
        }
        guard token.kind != .rawText else {
            let isCode = ["script", "style"].contains(scanner.string(token.name).lowercased())
            return (false, isCode ? "no value may stand in a script or a style" : nil)
        }
        guard let attribute = scanner.attributes(of: token).first(where: { $0.value.contains(offset) }),
            scanner.string(attribute.value.lowerBound - 1..<attribute.value.lowerBound) == "\""
        else { return (true, "a value in a tag needs double quotes around it") }
        let name = scanner.string(attribute.name).lowercased()
        if name.hasPrefix("on") || ["style", "srcdoc"].contains(name) {
            return (true, "no value may stand in \(name)")
        }
        let isAddress = ["href", "src", "action", "formaction", "poster", "data"].contains(name)
        let prefix = scanner.string(attribute.value.lowerBound..<offset)
        let isSafe = prefix.utf8.first.map { "/?#".utf8.contains($0) } ?? false
        return isAddress && (!isSafe || prefix.hasPrefix("//"))
            ? (true, "the address in \(name) must begin with /, ? or #") : (true, nil)
    }
}
