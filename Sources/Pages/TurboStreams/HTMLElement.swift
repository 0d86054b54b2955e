/// A top-level element of a piece of HTML.
struct HTMLElement: Equatable {
    var name: String
    /// As written, without decoding character references.
    var id: String?
    /// From the `<` of its start tag to the `>` of its end tag.
    var range: Range<Int>

    /// Splits HTML into its top-level elements. Every element must be closed, and only comments may stand between them.
    ///
    /// It is stricter than a browser: leaving out an optional end tag is an error, so that a typo in a template shows
    /// at start and not on a page.
    static func topLevel(of source: [UInt8]) throws(MarkupError) -> [HTMLElement] {
        var scanner = HTMLScanner(source)
        var elements: [HTMLElement] = []
        var open: [(name: String, start: Int)] = []
        while let token = try scanner.next() {
            let name = scanner.name(token.name)
            switch token.kind {
            case .comment: break
            case .text, .rawText:
                guard open.isEmpty, !scanner.isBlank(token.range) else { break }
                throw MarkupError(
                    line: scanner.line(at: token.range.lowerBound),
                    "text stands outside of an element; move it into one or remove it"
                )
            case .open:
                if open.isEmpty {
                    let id = scanner.value(of: "id", among: scanner.attributes(of: token))
                    elements.append(HTMLElement(name: name, id: id, range: token.range))
                }
                if !token.hasNoContent(name, inForeign: open.contains { isForeign($0.name) }) {
                    open.append((name, token.range.lowerBound))
                }
            case .close:
                guard let innermost = open.last, innermost.name == name else {
                    let line = scanner.line(at: token.range.lowerBound)
                    guard let other = open.last?.name else { throw .strayEndTag(name, line: line) }
                    throw MarkupError(
                        line: line,
                        "</\(name)> stands where <\(other)> is still open; close <\(other)> first or remove it"
                    )
                }
                open.removeLast()
                guard open.isEmpty else { break }
                let start = elements[elements.count - 1].range.lowerBound
                elements[elements.count - 1].range = start..<token.range.upperBound
            }
        }
        guard let unclosed = open.last else { return elements }
        throw .unclosed(unclosed.name, line: scanner.line(at: unclosed.start))
    }
}

extension HTMLToken {
    /// `/>` counts only in SVG and MathML; in HTML, browsers ignore it.
    fileprivate func hasNoContent(_ name: String, inForeign: @autoclosure () -> Bool) -> Bool {
        voidElements.contains(name) || (isSelfClosing && (isForeign(name) || inForeign()))
    }
}

private func isForeign(_ name: String) -> Bool { name == "svg" || name == "math" }

/// Elements without an end tag: https://html.spec.whatwg.org/multipage/syntax.html#void-elements
private let voidElements: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
]

/// One piece of HTML source. Ranges are byte offsets into that source, so a token owns no memory; its scanner reads the
/// names.
public struct HTMLToken: Equatable {
    public enum Kind {
        case text
        /// The content of an element that cannot contain tags.
        case rawText
        /// Comments, doctypes and processing instructions.
        case comment
        case open
        case close
    }

    public var kind: Kind
    public var range: Range<Int>
    /// The name of a tag, or of the element that contains this raw text; else empty.
    public var name = 0..<0
    var isSelfClosing = false
}

public struct HTMLAttribute: Equatable {
    public var name: Range<Int>
    /// Without its quotes; empty if the attribute has no value.
    public var value: Range<Int>
    var isQuoted: Bool
}
