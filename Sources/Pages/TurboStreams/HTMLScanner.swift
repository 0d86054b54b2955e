import Encoding

/// Splits HTML source into tokens as a browser does, in one pass.
///
/// https://html.spec.whatwg.org/multipage/parsing.html#tokenization. It throws where a browser would read on into
/// whatever follows, because fragments are embedded between our own tags.
public struct HTMLScanner {
    let source: [UInt8]
    private var position = 0
    /// The name of a raw text element, after its start tag.
    private var rawElement: Range<Int>?

    init(_ source: [UInt8]) { self.source = source }

    public init(_ source: String) { self.init(Array(source.utf8)) }

    public mutating func next() throws(MarkupError) -> HTMLToken? {
        if let element = rawElement { return try rawText(of: element) }
        guard position < source.count else { return nil }
        guard isMarkup(at: position) else { return text() }
        switch source[position + 1] {
        case UInt8(ascii: "!"), UInt8(ascii: "?"): return try comment()
        case UInt8(ascii: "/"):
            guard position + 2 < source.count, isLetter(source[position + 2]) else { return try comment() }
            return try tag(.close, nameAt: position + 2)
        default: return try tag(.open, nameAt: position + 1)
        }
    }

    /// The 1-based line of a byte offset.
    func line(at offset: Int) -> Int { source[..<min(offset, source.count)].count { $0 == 10 } + 1 }

    public func string(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

    /// Compares a name; only ASCII letters match in either case. `name` is in lower case.
    public func isName(_ range: Range<Int>, equalTo name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        let source = source.span
        for index in range where lower(source[index]) != name.utf8Start[index - range.lowerBound] { return false }
        return true
    }

    func name(_ range: Range<Int>) -> String {
        String(decoding: source[range].map(lower), as: UTF8.self)
    }

    /// The attributes of a start tag, in their order.
    public func attributes(of token: HTMLToken) -> [HTMLAttribute] {
        var scanner = self
        scanner.position = token.name.upperBound
        var attributes: [HTMLAttribute] = []
        attributes.reserveCapacity(4)
        while let attribute = try? scanner.attribute(ofTagAt: token.range.lowerBound) { attributes.append(attribute) }
        return attributes
    }

    /// The value of a start tag's attribute. Of attributes with one name, browsers take the first.
    func value(of name: StaticString, among attributes: [HTMLAttribute]) -> String? {
        attributes.first { isName($0.name, equalTo: name) }.map { string($0.value) }
    }

    func isBlank(_ range: Range<Int>) -> Bool { source[range].allSatisfy(isSpace) }

    // MARK: Text and comments

    /// `<` begins markup only before a letter, `/`, `!` or `?`.
    private func isMarkup(at offset: Int) -> Bool {
        guard source[offset] == UInt8(ascii: "<"), offset + 1 < source.count else { return false }
        switch source[offset + 1] {
        case UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?"): return true
        case let byte: return isLetter(byte)
        }
    }

    private mutating func text() -> HTMLToken {
        let start = position
        position += 1
        position = Encoding.offset(of: UInt8(ascii: "<"), in: source.span, from: position)
        while position < source.count, !isMarkup(at: position) {
            position = Encoding.offset(of: UInt8(ascii: "<"), in: source.span, from: position + 1)
        }
        return HTMLToken(kind: .text, range: start..<position)
    }

    private mutating func rawText(of element: Range<Int>) throws(MarkupError) -> HTMLToken? {
        rawElement = nil
        let start = position
        let end = Array("</\(name(element))".utf8)
        while position < source.count {
            let after = position + end.count
            if matches(end, at: position), after < source.count,
                isSpace(source[after]) || "/>".utf8.contains(source[after])
            {
                return HTMLToken(kind: .rawText, range: start..<position, name: element)
            }
            position += 1
        }
        throw .unclosed(name(element), line: line(at: start))
    }

    private mutating func comment() throws(MarkupError) -> HTMLToken {
        let start = position
        let ends = (matches(Array("<!--".utf8), at: start) ? ["-->", "--!>"] : [">"]).map { Array($0.utf8) }
        // `<!-->` and `<!--->` are complete comments, so the end may overlap the beginning.
        position += 2
        while position < source.count {
            for end in ends where matches(end, at: position) {
                position += end.count
                return HTMLToken(kind: .comment, range: start..<position)
            }
            position += 1
        }
        throw MarkupError(line: line(at: start), "a comment begins here and never ends; write -->")
    }

    // MARK: Tags

    private mutating func tag(_ kind: HTMLToken.Kind, nameAt nameStart: Int) throws(MarkupError) -> HTMLToken {
        let start = position
        position = nameStart
        skip(until: endsTagName)
        let name = nameStart..<position
        while try attribute(ofTagAt: start) != nil {}
        position += 1
        // Nothing closes <plaintext>: https://html.spec.whatwg.org/multipage/parsing.html#plaintext-state
        guard !isName(name, equalTo: "plaintext") else { throw .unclosed("plaintext", line: line(at: start)) }
        if kind == .open, rawTextElements.contains(where: { isName(name, equalTo: $0) }) { rawElement = name }
        let isSelfClosing = source[position - 2] == UInt8(ascii: "/")
        return HTMLToken(kind: kind, range: start..<position, name: name, isSelfClosing: isSelfClosing)
    }

    /// The next attribute of the tag that begins at `start`; nil at its `>`.
    private mutating func attribute(ofTagAt start: Int) throws(MarkupError) -> HTMLAttribute? {
        skip { !isSpace($0) && $0 != UInt8(ascii: "/") }
        guard position < source.count else { throw .unfinishedTag(line: line(at: start)) }
        guard source[position] != UInt8(ascii: ">") else { return nil }
        // A name may begin with "=": browsers read <a =b> that way.
        let first = position
        position += 1
        skip { endsTagName($0) || $0 == UInt8(ascii: "=") }
        let name = first..<position
        skip { !isSpace($0) }
        guard position < source.count, source[position] == UInt8(ascii: "=") else {
            return HTMLAttribute(name: name, value: name.upperBound..<name.upperBound, isQuoted: false)
        }
        position += 1
        skip { !isSpace($0) }
        guard let (value, isQuoted) = value() else { throw .unfinishedTag(line: line(at: start)) }
        return HTMLAttribute(name: name, value: value, isQuoted: isQuoted)
    }

    /// Returns nil when the source ends inside the value.
    private mutating func value() -> (Range<Int>, isQuoted: Bool)? {
        guard position < source.count else { return nil }
        let quote = source[position]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let start = position
            skip { isSpace($0) || $0 == UInt8(ascii: ">") }
            return (start..<position, false)
        }
        position += 1
        let start = position
        position = Encoding.offset(of: quote, in: source.span, from: position)
        guard position < source.count else { return nil }
        position += 1
        return (start..<position - 1, true)
    }

    private mutating func skip(until isEnd: (UInt8) -> Bool) {
        position = offset(from: position, where: isEnd)
    }

    /// The first offset at or after `start` that matches, or the end of the source.
    private func offset(from start: Int, where isEnd: (UInt8) -> Bool) -> Int {
        let source = source.span
        var offset = start
        while offset < source.count, !isEnd(source[offset]) { offset += 1 }
        return offset
    }

    /// Compares without regard to the case of ASCII letters.
    private func matches(_ text: [UInt8], at offset: Int) -> Bool {
        guard offset + text.count <= source.count else { return false }
        return text.indices.allSatisfy { lower(source[offset + $0]) == text[$0] }
    }
}

private func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || (9...10).contains(byte) || (12...13).contains(byte)
}

private func endsTagName(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
}

private func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(lower(byte)) }

private func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

/// Elements whose content is plain text up to their own end tag.
private let rawTextElements: [StaticString] = [
    "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes",
]

/// Why a template, or the markup of a broadcast, is refused, in words for its author.
public struct MarkupError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    init(line: Int, _ text: String) { description = "line \(line): \(text)" }

    static func unclosed(_ element: String, line: Int) -> MarkupError {
        MarkupError(line: line, "<\(element)> is never closed; write </\(element)>")
    }

    static func unfinishedTag(line: Int) -> MarkupError {
        MarkupError(line: line, "a tag begins here and never ends; close its quotes and write its >")
    }

    static func strayEndTag(_ element: String, line: Int) -> MarkupError {
        MarkupError(line: line, "</\(element)> closes nothing; remove it")
    }
}
