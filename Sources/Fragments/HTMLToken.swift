/// One piece of HTML source. Ranges are byte offsets into that source.
struct HTMLToken: Equatable {
    enum Kind: Equatable {
        case text
        /// The content of this element, in which there are no tags.
        case rawText(of: String)
        /// Comments, doctypes and processing instructions.
        case comment
        case open
        case close
    }

    var kind: Kind
    var range: Range<Int>
    /// Lower case; empty for text and comments.
    var name = ""
    var attributes: [HTMLAttribute] = []
    var isSelfClosing = false
}

struct HTMLAttribute: Equatable {
    /// Lower case.
    var name: String
    /// Without its quotes; empty where there is no value.
    var value: Range<Int>
    var isQuoted: Bool
}
