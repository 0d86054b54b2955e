/// One piece of HTML source. Ranges are byte offsets into that source, so that a token owns nothing; its scanner reads
/// the names in them.
struct HTMLToken: Equatable {
    enum Kind {
        case text
        /// The content of an element in which there are no tags.
        case rawText
        /// Comments, doctypes and processing instructions.
        case comment
        case open
        case close
    }

    var kind: Kind
    var range: Range<Int>
    /// Of a tag, or of the element whose content this is; else empty.
    var name = 0..<0
    var isSelfClosing = false
}

struct HTMLAttribute: Equatable {
    var name: Range<Int>
    /// Without its quotes; empty where there is no value.
    var value: Range<Int>
    var isQuoted: Bool
}
