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

/// Why a template cannot be used.
struct ConsoleTemplateError: Error, Equatable, CustomStringConvertible {
    let line: Int
    let reason: String

    var description: String { "line \(line): \(reason)" }
}

extension ConsoleTemplate {
    /// Refuses a place where an escaped value could still be code: outside of quotes, in a script, in an attribute that is
    /// one, or at the beginning of an address.
    init(_ source: String) throws(ConsoleTemplateError) {
        var segments: [Segment] = []
        var context = HTMLContext()
        var line = 1
        var rest = source[...]
        while let start = rest.firstRange(of: "{{") {
            let literal = rest[..<start.lowerBound]
            context.read(literal)
            line += literal.count { $0.isNewline }
            let tail = rest[start.upperBound...]
            guard let end = tail.firstRange(of: "}}"), ConsoleTemplate.isName(tail[..<end.lowerBound]) else {
                throw ConsoleTemplateError(line: line, reason: "{{ is not followed by a name and }}")
            }
            if let reason = context.refusal { throw ConsoleTemplateError(line: line, reason: reason) }
            segments.append(.literal(String(literal)))
            segments.append(.value(name: String(tail[..<end.lowerBound]), isAttribute: !context.isText))
            context.skipValue()
            rest = tail[end.upperBound...]
        }
        segments.append(.literal(String(rest)))
        self.segments = segments
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }
}

/// Where in a page the reader of a template is.
private struct HTMLContext {
    private enum Place: Equatable {
        case text
        /// In a tag, outside of quotes.
        case tag
        case value(attribute: String, prefix: String)
        case script
    }

    private var place = Place.text
    private var tag = ""
    private var word = ""

    var isText: Bool { place == .text }

    /// Why no value may stand here; nil where it may.
    var refusal: String? {
        switch place {
        case .text: return nil
        case .tag: return "a value in a tag needs double quotes around it"
        case .script: return "no value may stand in a script or a style"
        case .value(let attribute, let prefix):
            if attribute.hasPrefix("on") || ["style", "srcdoc"].contains(attribute) {
                return "no value may stand in \(attribute)"
            }
            let isAddress = ["href", "src", "action", "formaction", "poster", "data"].contains(attribute)
            let isSafe = prefix.utf8.first.map { "/?#".utf8.contains($0) } ?? false
            return isAddress && (!isSafe || prefix.hasPrefix("//"))
                ? "the address in \(attribute) must begin with /, ? or #" : nil
        }
    }

    mutating func skipValue() {
        if case .value(let attribute, let prefix) = place { place = .value(attribute: attribute, prefix: prefix + "x") }
    }

    mutating func read(_ literal: Substring) {
        for character in literal { read(character) }
    }

    private mutating func read(_ character: Character) {
        switch place {
        case .text:
            guard character == "<" else { return }
            (place, tag, word) = (.tag, "", "")
        case .tag: readInTag(character)
        case .value(let attribute, let prefix):
            place = character == "\"" ? .tag : .value(attribute: attribute, prefix: prefix + String(character))
            word = ""
        // Only its own end tag has such a slash in a template of ours.
        case .script: if character == "<" { (place, tag, word) = (.tag, "/", "") }
        }
    }

    private mutating func readInTag(_ character: Character) {
        switch character {
        case ">":
            if tag.isEmpty { tag = word }
            place = ["script", "style"].contains(tag.lowercased()) ? .script : .text
        case "\"": place = .value(attribute: word.lowercased(), prefix: "")
        case "=": break
        case " ", "\n", "\t":
            if tag.isEmpty { tag = word }
            word = ""
        default: word.append(character)
        }
    }
}
