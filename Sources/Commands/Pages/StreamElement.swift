/// A `<turbo-stream>` element of a message, or a message that has none.
struct StreamElement: Equatable {
    /// Nil for what is no `<turbo-stream>`.
    var action: String?
    var target: String?
    var targets: String?
    /// With its tags.
    var html: String

    var isForSource: Bool { targets?.hasPrefix("turbo-stream-source[") == true }

    /// The cursor in the address of the source that it puts into the page.
    var since: String? {
        html.ranges(of: "since=").last.map {
            String(html[$0.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "-" })
        }
    }

    /// What a person reads of it: without tags, on one line, and no more than `limit` bytes.
    func text(limit: Int) -> String {
        var words: [UInt8] = []
        var isTag = false
        for byte in html.utf8 {
            switch byte {
            case UInt8(ascii: "<"): isTag = true
            case UInt8(ascii: ">"), 9...13, 32:
                if byte == UInt8(ascii: ">") { isTag = false }
                if !isTag, let last = words.last, last != 32 { words.append(32) }
            case _ where isTag: break
            default: words.append(byte)
            }
            guard words.count <= limit else { break }
        }
        while let last = words.last, last == 32 || words.count > limit { words.removeLast() }
        // A character may be cut in half.
        return String(decoding: words, as: UTF8.self).replacing("\u{FFFD}", with: "")
    }

    /// The elements of a message, in their order. Those inside of a template belong to the one around them.
    static func all(in html: String) -> [StreamElement] {
        let bytes = Array(html.utf8)
        var elements: [StreamElement] = []
        var depth = 0
        var start: Range<Int>?
        for tag in StreamTags(bytes) {
            if bytes[tag.lowerBound + 1] == UInt8(ascii: "/") {
                depth = max(0, depth - 1)
                guard depth == 0, let begun = start else { continue }
                elements.append(
                    StreamElement(
                        action: value(of: "action", in: bytes[begun]),
                        target: value(of: "target", in: bytes[begun]),
                        targets: value(of: "targets", in: bytes[begun]),
                        html: String(decoding: bytes[begun.lowerBound..<tag.upperBound], as: UTF8.self)
                    )
                )
                start = nil
            } else {
                if depth == 0 { start = tag }
                depth += 1
            }
        }
        return elements
    }

    /// In quotes, as generators write it.
    private static func value(of name: String, in tag: ArraySlice<UInt8>) -> String? {
        for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] {
            guard let start = tag.firstRange(of: Array(" \(name)=".utf8) + [quote]) else { continue }
            return String(decoding: tag[start.upperBound...].prefix { $0 != quote }, as: UTF8.self)
        }
        return nil
    }
}

/// Where the tags of `turbo-stream` are, and not those of `turbo-stream-source`. In one pass, because a server may send
/// anything.
private struct StreamTags: Sequence, IteratorProtocol {
    static let name = Array("turbo-stream".utf8)

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> Range<Int>? {
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start + 1
            guard isStream(at: position) else { continue }
            guard let end = end(of: start) else { return nil }
            position = end
            return start..<end
        }
        return nil
    }

    private func isStream(at position: Int) -> Bool {
        let begin = position + (position < bytes.count && bytes[position] == UInt8(ascii: "/") ? 1 : 0)
        let end = begin + StreamTags.name.count
        guard end < bytes.count, isSpace(bytes[end]) || [UInt8(ascii: ">"), UInt8(ascii: "/")].contains(bytes[end])
        else { return false }
        // In either case: only letters and the hyphen are compared.
        return zip(bytes[begin..<end], StreamTags.name).allSatisfy { $0 | 0x20 == $1 }
    }

    /// Behind the `>` that is in no quotes. Nil if the tag does not end.
    private mutating func end(of start: Int) -> Int? {
        var quote: UInt8?
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index + 1
            }
        }
        position = bytes.count
        return nil
    }
}

private func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
