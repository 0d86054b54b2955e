internal import Domain

/// Converts between a fragment and its row. Rows hold facts, not HTML, so that what a page missed is rendered with
/// today's templates.
enum FragmentRow {
    static let columns = "stream, collapse_key, position, ordinal, action, target, targets, content, template, body"
    static let count = 10

    static func values(_ fragment: Fragment, at position: Int64, ordinal: Int) -> [Value] {
        let (content, template, body): (String, String?, String?) =
            switch fragment.content {
            case .template(let name, let values): ("template", name, Netstrings.encode(values))
            case .html(let html): ("html", nil, html)
            case .markup(let markup): ("markup", nil, markup)
            case .none: ("none", nil, nil)
            }
        return [
            .text(fragment.stream.text), .text(fragment.collapseKey?.text ?? ""), .integer(position),
            .integer(Int64(ordinal)), .text(fragment.action), Value(fragment.target), Value(fragment.targets),
            .text(content), Value(template), Value(body),
        ]
    }

    static func read(_ row: Row) throws(SQLiteError) -> PlacedFragment {
        guard let stream = StreamName(row.text(0)) else { throw row.unreadable(0) }
        let fragment = Fragment(
            stream: stream,
            action: row.text(4),
            target: row.optionalText(5),
            targets: row.optionalText(6),
            content: try content(row)
        )
        return PlacedFragment(position: row.integer(2), ordinal: row.integer(3), fragment: fragment)
    }

    private static func content(_ row: Row) throws(SQLiteError) -> Fragment.Content {
        switch row.text(7) {
        case "template":
            guard let values = Netstrings.decode(row.text(9)) else { throw row.unreadable(9) }
            return .template(name: row.text(8), values: values)
        case "html": return .html(row.text(9))
        case "markup": return .markup(row.text(9))
        case "none": return .none
        default: throw row.unreadable(7)
        }
    }
}

/// A fragment and its position in the ledger.
struct PlacedFragment {
    var position: Int64
    /// Its index within its entry.
    var ordinal: Int64
    var fragment: Fragment
}
