/// Cuts the source of an element at its placeholders, and refuses one wherever an escaped value could still be code.
struct TemplateCompiler {
    private let scanner: HTMLScanner
    private var segments: [Template.Segment] = []
    /// What stands since the last placeholder.
    private var literal: [UInt8] = []

    /// `range` is an element of `source`; line numbers of errors count from the beginning of `source`.
    static func segments(of range: Range<Int>, in source: [UInt8]) throws(TemplateError) -> [Template.Segment] {
        var compiler = TemplateCompiler(scanner: HTMLScanner(source))
        try compiler.run(range)
        compiler.endLiteral()
        return compiler.segments
    }

    private init(scanner: HTMLScanner) {
        self.scanner = scanner
    }

    private mutating func run(_ range: Range<Int>) throws(TemplateError) {
        var tokens = scanner
        while let token = try tokens.nextOfTemplate(), token.range.lowerBound < range.upperBound {
            guard range.contains(token.range.lowerBound) else { continue }
            switch token.kind {
            case .comment: break  // For authors, not for pages.
            case .text: try values(in: token.range)
            case .rawText where HTML.escapableRawTextElements.contains(scanner.name(token.name)):
                try values(in: token.range)
            case .rawText:
                guard let braces = firstBraces(in: token.range) else { literal(token.range); break }
                throw .placeholderInCode(line: scanner.line(at: braces), place: "<\(scanner.name(token.name))>")
            case .open, .close: try tag(token)
            }
        }
    }

    // MARK: Tags

    private mutating func tag(_ token: HTMLToken) throws(TemplateError) {
        var done = token.range.lowerBound
        for attribute in scanner.attributes(of: token) where attribute.isQuoted {
            try literalOfTag(done..<attribute.value.lowerBound)
            try self.attribute(attribute)
            done = attribute.value.upperBound
        }
        try literalOfTag(done..<token.range.upperBound)
    }

    private mutating func literalOfTag(_ range: Range<Int>) throws(TemplateError) {
        if let braces = firstBraces(in: range) { throw .placeholderInTag(line: scanner.line(at: braces)) }
        literal(range)
    }

    private mutating func attribute(_ attribute: HTMLAttribute) throws(TemplateError) {
        guard let braces = firstBraces(in: attribute.value) else { return literal(attribute.value) }
        let (line, name) = (scanner.line(at: braces), scanner.name(attribute.name))
        if name.hasPrefix("on") || ["style", "srcdoc"].contains(name) {
            throw .placeholderInCode(line: line, place: "the attribute \(name)")
        }
        guard addressAttributes.contains(name) else { return try values(in: attribute.value) }
        let prefix = scanner.string(attribute.value.lowerBound..<braces)
        if let scheme = Address.scheme(of: prefix), ["javascript", "data", "vbscript"].contains(scheme) {
            throw .placeholderInCode(line: line, place: "a \(scheme): address")
        }
        if prefix.utf8.contains(where: { ":/?#".utf8.contains($0) }) { return try values(in: attribute.value) }
        guard prefix.isEmpty else { throw .addressPrefix(line: line, attribute: name) }
        let end = try placeholder(at: braces, before: attribute.value.upperBound, as: Template.Segment.address)
        // With {{a}}:{{b}}, what is harmless alone could be the scheme.
        guard end == attribute.value.upperBound || "/?#".utf8.contains(scanner.source[end]) else {
            throw .addressPrefix(line: line, attribute: name)
        }
        try values(in: end..<attribute.value.upperBound)
    }

    // MARK: Placeholders

    private mutating func values(in range: Range<Int>) throws(TemplateError) {
        var done = range.lowerBound
        while let braces = firstBraces(in: done..<range.upperBound) {
            literal(done..<braces)
            done = try placeholder(at: braces, before: range.upperBound, as: Template.Segment.value)
        }
        literal(done..<range.upperBound)
    }

    /// Answers the offset behind its `}}`.
    private mutating func placeholder(
        at braces: Int,
        before end: Int,
        as segment: (String) -> Template.Segment
    ) throws(TemplateError) -> Int {
        let source = scanner.source
        var position = braces + 2
        if position < end, source[position] == UInt8(ascii: "{") {
            throw .tripleBraces(line: scanner.line(at: braces))
        }
        while position < end, source[position] != UInt8(ascii: "}") { position += 1 }
        let name = source[braces + 2..<position].trimmingSpaces()
        guard position + 1 < end, source[position + 1] == UInt8(ascii: "}"), isTemplateValueName(name) else {
            throw .placeholder(line: scanner.line(at: braces))
        }
        endLiteral()
        segments.append(segment(String(decoding: name, as: UTF8.self)))
        return position + 2
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
}

/// Attributes whose value is an address: https://html.spec.whatwg.org/multipage/indices.html#attributes-3
private let addressAttributes: Set<String> = [
    "action", "background", "cite", "data", "formaction", "href", "ping", "poster", "src", "xlink:href",
]

private func isTemplateValueName(_ name: ArraySlice<UInt8>) -> Bool {
    !name.isEmpty
        && name.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95 }
}

extension ArraySlice<UInt8> {
    fileprivate func trimmingSpaces() -> ArraySlice<UInt8> {
        var slice = self
        while slice.first == 32 { slice.removeFirst() }
        while slice.last == 32 { slice.removeLast() }
        return slice
    }
}

extension HTMLScanner {
    fileprivate mutating func nextOfTemplate() throws(TemplateError) -> HTMLToken? {
        do { return try next() } catch { throw .syntax(error) }
    }
}
