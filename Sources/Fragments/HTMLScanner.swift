/// Reads HTML source piece by piece, as a browser's tokenizer does, in one pass.
///
/// https://html.spec.whatwg.org/multipage/parsing.html#tokenization; it refuses where a browser would read on into
/// whatever follows, since a fragment is put between tags of ours.
struct HTMLScanner {
    let source: [UInt8]
    private var position = 0
    /// Set after the start tag of an element whose content is text.
    private var rawElement: String?

    init(_ source: [UInt8]) {
        self.source = source
    }

    init(_ source: String) {
        self.init(Array(source.utf8))
    }

    mutating func next() throws(HTMLSyntaxError) -> HTMLToken? {
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
    func line(at offset: Int) -> Int {
        source[..<min(offset, source.count)].count { $0 == 10 } + 1
    }

    func string(_ range: Range<Int>) -> String {
        String(decoding: source[range], as: UTF8.self)
    }

    func isBlank(_ range: Range<Int>) -> Bool {
        source[range].allSatisfy(isSpace)
    }

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
        while position < source.count, !isMarkup(at: position) { position += 1 }
        return HTMLToken(kind: .text, range: start..<position)
    }

    private mutating func rawText(of element: String) throws(HTMLSyntaxError) -> HTMLToken? {
        rawElement = nil
        let start = position
        let end = Array("</\(element)".utf8)
        while position < source.count {
            let after = position + end.count
            if matches(end, at: position), after < source.count,
                isSpace(source[after]) || "/>".utf8.contains(source[after])
            {
                return HTMLToken(kind: .rawText(of: element), range: start..<position)
            }
            position += 1
        }
        throw .unclosed(element: element, line: line(at: start))
    }

    private mutating func comment() throws(HTMLSyntaxError) -> HTMLToken {
        let start = position
        let ends = (matches(Array("<!--".utf8), at: start) ? ["-->", "--!>"] : [">"]).map { Array($0.utf8) }
        // `<!-->` and `<!--->` are whole comments, so the end may overlap the beginning.
        position += 2
        while position < source.count {
            for end in ends where matches(end, at: position) {
                position += end.count
                return HTMLToken(kind: .comment, range: start..<position)
            }
            position += 1
        }
        throw .unfinishedComment(line: line(at: start))
    }

    // MARK: Tags

    private mutating func tag(_ kind: HTMLToken.Kind, nameAt nameStart: Int) throws(HTMLSyntaxError) -> HTMLToken {
        let start = position
        position = nameStart
        let name = word(until: endsTagName)
        var token = HTMLToken(kind: kind, range: start..<start, name: name)
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: ">"):
                token.isSelfClosing = source[position - 1] == UInt8(ascii: "/")
                position += 1
                token.range = start..<position
                // Nothing closes <plaintext>: https://html.spec.whatwg.org/multipage/parsing.html#plaintext-state
                guard name != "plaintext" else { throw .unclosed(element: name, line: line(at: start)) }
                if kind == .open, HTML.rawTextElements.contains(name) { rawElement = name }
                return token
            case let byte where isSpace(byte) || byte == UInt8(ascii: "/"): position += 1
            default:
                guard let attribute = attribute() else { throw .unfinishedTag(line: line(at: start)) }
                token.attributes.append(attribute)
            }
        }
        throw .unfinishedTag(line: line(at: start))
    }

    /// Nil when the source ends inside of it.
    private mutating func attribute() -> HTMLAttribute? {
        // A name may begin with "=", which is how a browser reads <a =b>.
        let first = position
        position += 1
        skip { endsTagName($0) || $0 == UInt8(ascii: "=") }
        let name = lowercased(first..<position)
        let afterName = position
        skipSpace()
        guard position < source.count, source[position] == UInt8(ascii: "=") else {
            return HTMLAttribute(name: name, value: afterName..<afterName, isQuoted: false)
        }
        position += 1
        skipSpace()
        guard position < source.count else { return nil }
        let quote = source[position]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let start = position
            skip { isSpace($0) || $0 == UInt8(ascii: ">") }
            return HTMLAttribute(name: name, value: start..<position, isQuoted: false)
        }
        position += 1
        let start = position
        skip { $0 == quote }
        guard position < source.count else { return nil }
        position += 1
        return HTMLAttribute(name: name, value: start..<position - 1, isQuoted: true)
    }

    private mutating func word(until isEnd: (UInt8) -> Bool) -> String {
        let start = position
        skip(until: isEnd)
        return lowercased(start..<position)
    }

    /// Names are compared without regard to ASCII case, and no other.
    private func lowercased(_ range: Range<Int>) -> String {
        String(decoding: source[range].map(lower), as: UTF8.self)
    }

    private mutating func skip(until isEnd: (UInt8) -> Bool) {
        while position < source.count, !isEnd(source[position]) { position += 1 }
    }

    private mutating func skipSpace() {
        while position < source.count, isSpace(source[position]) { position += 1 }
    }

    /// Compares without regard to ASCII case.
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

private func isLetter(_ byte: UInt8) -> Bool {
    (97...122).contains(lower(byte))
}

private func lower(_ byte: UInt8) -> UInt8 {
    (65...90).contains(byte) ? byte + 32 : byte
}
