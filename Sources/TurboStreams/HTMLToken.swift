/// One piece of HTML source. Ranges are byte offsets into that source, so a token owns no memory; its scanner reads the
/// names.
struct HTMLToken: Equatable {
    enum Kind {
        case text
        /// The content of an element that cannot contain tags.
        case rawText
        /// Comments, doctypes and processing instructions.
        case comment
        case open
        case close
    }

    var kind: Kind
    var range: Range<Int>
    /// The name of a tag, or of the element that contains this raw text; else empty.
    var name = 0..<0
    var isSelfClosing = false
}

struct HTMLAttribute: Equatable {
    var name: Range<Int>
    /// Without its quotes; empty if the attribute has no value.
    var value: Range<Int>
    var isQuoted: Bool
}
