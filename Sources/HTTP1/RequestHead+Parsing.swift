extension RequestHead {
    /// Reads a whole head: from the method up to and including the empty line.
    ///
    /// Strict where readers differ, since each difference has carried one request inside another: no folded line, no
    /// white space before a colon, no bare CR or LF, no field twice that may occur once.
    public init(parsing bytes: ArraySlice<UInt8>) throws(HeadFlaw) {
        var lines = HeadLines(bytes)
        guard let first = try lines.next() else { throw .requestLine }
        let line = try RequestLine(first)
        var fields: [Field] = []
        var count = 0
        while let next = try lines.next() {
            count += 1
            guard count <= RequestHead.fieldLimit else { throw .tooLarge }
            guard let field = try RequestHead.field(next) else { continue }
            guard field.name.isList || !fields.contains(where: { $0.name == field.name }) else {
                throw field.name == .host ? .host : field.name == .contentLength ? .contentLength : .repeatedField
            }
            fields.append(field)
        }
        guard lines.isAtEnd else { throw .fieldLine }
        try self.init(line: line, fields: fields)
    }

    /// Nil for one that nobody looks at; it has been checked like the others.
    static func field(_ line: ArraySlice<UInt8>) throws(HeadFlaw) -> Field? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isTokenByte)
        else { throw .fieldLine }
        let value = line[(colon + 1)...].trimmed
        guard value.allSatisfy(isFieldByte) else { throw .controlCharacter }
        guard let name = FieldName(line[..<colon]) else { return nil }
        // Where a request goes and where it ends: nginx and llhttp take no tab for the white space around these two.
        if name == .host || name == .contentLength, line.contains(9) {
            throw name == .host ? .host : .contentLength
        }
        return Field(name: name, value: Array(value))
    }
}

/// The lines of a head, without their ends; stops behind the empty one.
private struct HeadLines {
    private var rest: ArraySlice<UInt8>
    private var hasEnded = false

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Nothing follows the empty line.
    var isAtEnd: Bool { hasEnded && rest.isEmpty }

    mutating func next() throws(HeadFlaw) -> ArraySlice<UInt8>? {
        guard !hasEnded else { return nil }
        guard let end = rest.firstIndex(where: { $0 == lineFeed || $0 == carriageReturn }),
            rest[end] == carriageReturn, end + 1 < rest.endIndex, rest[end + 1] == lineFeed
        else { throw .controlCharacter }
        let line = rest[..<end]
        rest = rest[(end + 2)...]
        hasEnded = line.isEmpty
        return hasEnded ? nil : line
    }
}

/// `METHOD TARGET HTTP/1.1`, with one space each (RFC 9112 §3).
struct RequestLine {
    let method: String
    let target: RequestTarget
    let isHTTP10: Bool

    /// Longer than any method that is registered.
    private static let methodLimit = 32

    init(_ line: ArraySlice<UInt8>) throws(HeadFlaw) {
        guard line.count <= RequestHead.lineLimit else { throw .targetTooLong }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, (1...RequestLine.methodLimit).contains(words[0].count),
            words[0].allSatisfy(isTokenByte), words[2].starts(with: "HTTP/".utf8)
        else { throw .requestLine }
        isHTTP10 = words[2].elementsEqual("HTTP/1.0".utf8)
        guard isHTTP10 || words[2].elementsEqual("HTTP/1.1".utf8) else { throw .version }
        method = String(decoding: words[0], as: UTF8.self)
        target = try RequestTarget(words[1], method: method)
    }
}
