import Domain
import Support

/// Splits the source of an element at its placeholders, and refuses them where an escaped value could still be code.
struct TemplateCompiler {
    private let scanner: HTMLScanner
    /// The names that placeholders may have; nil allows any.
    private let names: Set<String>?
    private var segments: [Template.Segment] = []
    /// The bytes since the last placeholder.
    private var literal: [UInt8] = []

    /// `range` is an element of `source`; errors count lines from the beginning of `source`.
    static func segments(
        of range: Range<Int>,
        in source: [UInt8],
        values names: Set<String>?
    ) throws(MarkupError) -> [Template.Segment] {
        var compiler = TemplateCompiler(scanner: HTMLScanner(source), names: names)
        try compiler.run(range)
        compiler.endLiteral()
        return compiler.segments
    }

    private mutating func run(_ range: Range<Int>) throws(MarkupError) {
        var tokens = scanner
        // Go on to the end of the source: comments between the elements are the author's, too.
        while let token = try tokens.next() {
            if token.kind == .comment { try comment(token) }
            guard range.contains(token.range.lowerBound) else { continue }
            switch token.kind {
            // Comments are for authors, not for pages; a doctype is for browsers.
            case .comment:
                if scanner.string(token.range).lowercased().hasPrefix("<!doctype") { literal(token.range) }
            case .text: try values(in: token.range, isText: true)
            case .rawText where escapableRawTextElements.contains(scanner.name(token.name)):
                try values(in: token.range, isText: true)
            case .rawText:
                guard let braces = firstBraces(in: token.range) else { literal(token.range); break }
                throw inCode("<\(scanner.name(token.name))>", at: braces)
            case .open, .close: try tag(token)
            }
        }
    }

    // MARK: Comments

    /// Comments are dropped (what is scanned as one and is a doctype stays), so they must not hold a value that the author expects to see, nor separate a `<` from the
    /// letter after it.
    private func comment(_ token: HTMLToken) throws(MarkupError) {
        if let braces = firstBraces(in: token.range) {
            // Browsers read </{{name}}> as a comment; its author did not mean one.
            guard scanner.source[token.range].starts(with: "<!--".utf8) else { throw inTag(at: braces) }
            throw error("nobody sees a value in a comment; take the {{…}} out of it", at: braces)
        }
        try refuseOpenBracket(before: token.range.lowerBound)
    }

    /// A `<` is text unless what follows makes it a tag, and a value could do that.
    private func refuseOpenBracket(before offset: Int) throws(MarkupError) {
        let bracket = UInt8(ascii: "<")
        if literal.last == bracket || literal.suffix(2).elementsEqual("</".utf8) {
            throw error("what follows this < could turn it into a tag; write &lt;", at: offset)
        }
    }

    // MARK: Tags

    private mutating func tag(_ token: HTMLToken) throws(MarkupError) {
        var done = token.range.lowerBound
        for attribute in scanner.attributes(of: token) where attribute.isQuoted {
            try literalOfTag(done..<attribute.value.lowerBound)
            try self.attribute(attribute, on: scanner.name(token.name))
            done = attribute.value.upperBound
        }
        try literalOfTag(done..<token.range.upperBound)
    }

    private mutating func literalOfTag(_ range: Range<Int>) throws(MarkupError) {
        if let braces = firstBraces(in: range) { throw inTag(at: braces) }
        literal(range)
    }

    private mutating func attribute(_ attribute: HTMLAttribute, on element: String) throws(MarkupError) {
        guard let braces = firstBraces(in: attribute.value) else { return literal(attribute.value) }
        switch AttributeKind(scanner.name(attribute.name), on: element) {
        case .text: try values(in: attribute.value)
        case .code(let place): throw inCode(place, at: braces)
        case .address: try address(attribute, at: braces)
        }
    }

    /// If the URL begins with a value, the value's scheme is checked whenever it is rendered.
    private mutating func address(_ attribute: HTMLAttribute, at braces: Int) throws(MarkupError) {
        let prefix = scanner.string(attribute.value.lowerBound..<braces)
        if let scheme = HarmlessAddress.scheme(of: prefix), ["javascript", "data", "vbscript"].contains(scheme) {
            throw inCode("a \(scheme): address", at: braces)
        }
        if let end = prefix.utf8.firstIndex(where: { ":/?#".utf8.contains($0) }) {
            // A reference such as &#106; is a letter of the scheme, and the value could complete an unfinished one.
            guard !prefix.utf8[..<end].contains(UInt8(ascii: "&")) else { throw unsafeBeginning(attribute, at: braces) }
            return try values(in: attribute.value)
        }
        guard prefix.isEmpty else { throw unsafeBeginning(attribute, at: braces) }
        let found = try placeholder(at: braces, before: attribute.value.upperBound)
        guard found.words.isEmpty else {
            throw error("an address cannot begin with words in place of a value; write {{\(found.name)}}", at: braces)
        }
        segments.append(.address(found.name))
        // In {{a}}:{{b}}, a value that is harmless alone could become the scheme.
        guard found.end == attribute.value.upperBound || "/?#".utf8.contains(scanner.source[found.end]) else {
            throw unsafeBeginning(attribute, at: braces)
        }
        try values(in: found.end..<attribute.value.upperBound)
    }

    // MARK: Placeholders

    private mutating func values(in range: Range<Int>, isText: Bool = false) throws(MarkupError) {
        var done = range.lowerBound
        while let braces = firstBraces(in: done..<range.upperBound) {
            literal(done..<braces)
            if isText { try refuseOpenBracket(before: braces) }
            let found = try placeholder(at: braces, before: range.upperBound)
            segments.append(.value(found.name, otherwise: found.words, isAttribute: !isText))
            done = found.end
        }
        literal(done..<range.upperBound)
    }

    /// `words` stand behind `or`, or are empty; `end` is the offset after its `}}`.
    private mutating func placeholder(
        at braces: Int,
        before end: Int
    ) throws(MarkupError) -> (name: String, words: [UInt8], end: Int) {
        let source = scanner.source
        var position = braces + 2
        if position < end, source[position] == UInt8(ascii: "{") {
            throw error("{{{…}}} does not exist, every value is escaped; write {{…}}", at: braces)
        }
        while position < end, source[position] != UInt8(ascii: "}") { position += 1 }
        let content = source[braces + 2..<position].trimmingSpaces()
        let name = content.prefix(while: isTemplateValueNameByte)
        guard position + 1 < end, source[position + 1] == UInt8(ascii: "}"), !name.isEmpty,
            let words = wordsOtherwise(content[name.endIndex...])
        else {
            let form = "a placeholder is {{name}} or {{name or words}}"
            throw error("\(form): letters, digits and _, no < in the words, closed by }}", at: braces)
        }
        let text = String(decoding: name, as: UTF8.self)
        if let names, !names.contains(text), !TemplateValues.admits(text) {
            let hint =
                nearest(to: text, among: names.sorted()).map { "did you mean {{\($0)}}?" }
                ?? "values of your own belong to a template of another name, which your broadcasts fill"
            throw error("there is no value {{\(text)}}; \(hint)", at: braces)
        }
        endLiteral()
        return (text, words, position + 2)
    }

    private func firstBraces(in range: Range<Int>) -> Int? {
        guard range.count > 1 else { return nil }
        let brace = UInt8(ascii: "{")
        return range.dropLast().first { scanner.source[$0] == brace && scanner.source[$0 + 1] == brace }
    }

    private mutating func literal(_ range: Range<Int>) {
        literal.append(contentsOf: scanner.source[range])
    }

    private mutating func endLiteral() {
        guard !literal.isEmpty else { return }
        segments.append(.literal(literal))
        literal = []
    }

    // MARK: Errors

    private func error(_ text: String, at offset: Int) -> MarkupError {
        MarkupError(line: scanner.line(at: offset), text)
    }

    private func inCode(_ place: String, at braces: Int) -> MarkupError {
        let todo = "put it into a data- attribute and read it from there"
        return error("a value cannot stand in \(place), where escaping does not help; \(todo)", at: braces)
    }

    private func inTag(at braces: Int) -> MarkupError {
        error("inside a tag a value may stand only in a quoted attribute; write name=\"{{…}}\"", at: braces)
    }

    private func unsafeBeginning(_ attribute: HTMLAttribute, at braces: Int) -> MarkupError {
        let ends = "must begin with /, ?, # or https:// before its value, or have / ? or # behind it"
        return error("\(scanner.name(attribute.name)) \(ends)", at: braces)
    }
}

private func isTemplateValueNameByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
}

/// What stands behind a value's name: nothing, or ` or ` and words, which are the author's own text. Nil for anything else, and
/// for words with a `<`, which could become a tag with what follows them.
private func wordsOtherwise(_ rest: ArraySlice<UInt8>) -> [UInt8]? {
    guard !rest.isEmpty else { return [] }
    let parts = rest.trimmingSpaces()
    guard rest.first == 32, parts.starts(with: "or ".utf8) else { return nil }
    let words = parts.dropFirst(3).trimmingSpaces()
    return words.contains(UInt8(ascii: "<")) || words.contains(UInt8(ascii: "{")) ? nil : Array(words)
}

extension ArraySlice<UInt8> {
    func trimmingSpaces() -> ArraySlice<UInt8> {
        var slice = self
        while slice.first == 32 { slice.removeFirst() }
        while slice.last == 32 { slice.removeLast() }
        return slice
    }
}

/// The raw text elements in which `&lt;` means `<`: escaped text is safe only there.
private let escapableRawTextElements: Set<String> = ["textarea", "title"]

/// How a browser interprets an attribute's value, and so whether an escaped value is safe in it.
enum AttributeKind: Equatable {
    case text
    /// A URL, in which `javascript:` would be code.
    case address
    /// Code, or the URL of code: escaping does not help. `place` is its name in an error.
    case code(place: String)

    /// Both names are in lower case.
    init(_ attribute: String, on element: String) {
        if attribute.hasPrefix("data-") {
            // Scripts read these; a browser does nothing with them by itself.
            self = .text
        } else if codeAttributes.contains(attribute) || codePrefixes.contains(where: attribute.hasPrefix) {
            self = .code(place: "the attribute \(attribute)")
        } else if codeElements.contains(element) {
            self = .code(place: "the attribute \(attribute) of <\(element)>")
        } else {
            self = addressAttributes.contains(attribute) ? .address : .text
        }
    }
}

private let codeAttributes: Set<String> = ["style", "srcdoc"]

/// Event handlers, and attributes that Alpine, Vue, Angular and htmx evaluate.
private let codePrefixes = ["on", "@", ":", "x-", "v-", "ng-", "hx-on"]

/// Elements whose attributes choose what runs: they load code or styles, change the base of every URL in the page, load
/// another page (`http-equiv`), or set attributes of other elements (SVG's animations).
private let codeElements: Set<String> = [
    "animate", "animatemotion", "animatetransform", "applet", "base", "embed", "link", "meta", "object", "param",
    "script", "set",
]

/// Attributes whose value is a URL (https://html.spec.whatwg.org/multipage/indices.html#attributes-3), including
/// obsolete ones that browsers still know.
private let addressAttributes: Set<String> = [
    "action", "attributionsrc", "background", "cite", "classid", "codebase", "data", "dynsrc", "formaction", "href",
    "icon", "imagesrcset", "longdesc", "lowsrc", "manifest", "ping", "poster", "profile", "src", "srcset", "usemap",
    "xlink:href", "xml:base",
]
