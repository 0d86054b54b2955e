import Pages

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

    /// The elements of a message, in their order, as a browser finds them. Those inside of a template belong to the one around
    /// them. In one pass, because a server may send anything.
    static func all(in html: String) -> [StreamElement] {
        var scanner = HTMLScanner(html)
        var elements: [StreamElement] = []
        var depth = 0
        var start: HTMLToken?
        // What follows broken markup is no element to a browser either.
        while let token = try? scanner.next() {
            guard token.kind == .open || token.kind == .close, scanner.isName(token.name, equalTo: "turbo-stream")
            else { continue }
            if token.kind == .open {
                if depth == 0 { start = token }
                depth += 1
            } else {
                depth = max(0, depth - 1)
                guard depth == 0, let begun = start else { continue }
                elements.append(element(from: begun, to: token, in: scanner))
                start = nil
            }
        }
        return elements
    }

    private static func element(from start: HTMLToken, to end: HTMLToken, in scanner: HTMLScanner) -> StreamElement {
        let attributes = scanner.attributes(of: start)
        let value = { (name: StaticString) in
            attributes.first { scanner.isName($0.name, equalTo: name) }.map { scanner.string($0.value) }
        }
        return StreamElement(
            action: value("action"),
            target: value("target"),
            targets: value("targets"),
            html: scanner.string(start.range.lowerBound..<end.range.upperBound)
        )
    }
}
