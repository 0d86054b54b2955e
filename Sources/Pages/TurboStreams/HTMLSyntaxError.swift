/// Why a piece of HTML cannot be part of a fragment: it would swallow what surrounds it, or break out of it.
public enum HTMLSyntaxError: Error, Equatable, CustomStringConvertible {
    case unfinishedTag(line: Int)
    case unfinishedComment(line: Int)
    case unclosed(element: String, line: Int)
    /// `open` is the innermost element that is still open there.
    case strayEndTag(element: String, line: Int, open: String?)
    case textOutsideElements(line: Int)

    public var description: String {
        switch self {
        case .unfinishedTag(let line):
            "line \(line): a tag begins here and never ends; close its quotes and write its >"
        case .unfinishedComment(let line):
            "line \(line): a comment begins here and never ends; write -->"
        case .unclosed(let element, let line):
            "line \(line): <\(element)> is never closed; write </\(element)>"
        case .strayEndTag(let element, let line, nil):
            "line \(line): </\(element)> closes nothing; remove it"
        case .strayEndTag(let element, let line, let open?):
            "line \(line): </\(element)> stands where <\(open)> is still open; close <\(open)> first or remove it"
        case .textOutsideElements(let line):
            "line \(line): text stands outside of an element; move it into one or remove it"
        }
    }
}
