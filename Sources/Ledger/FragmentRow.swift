internal import Domain

/// Between a fragment and its row. Facts are stored, not HTML, so that a replay renders with today's templates.
enum FragmentRow {
    static let columns = "stream, action, target, targets, collapse_key, content, template, body"
    static let count = 8

    static func values(_ fragment: Fragment) -> [Value] {
        let (content, template, body): (String, String?, String?) =
            switch fragment.content {
            case .template(let name, let values): ("template", name, Netstrings.encode(values))
            case .html(let html): ("html", nil, html)
            case .markup(let markup): ("markup", nil, markup)
            case .none: ("none", nil, nil)
            }
        return [
            .text(fragment.stream.text), .text(fragment.action), Value(fragment.target), Value(fragment.targets),
            Value(fragment.collapseKey), .text(content), Value(template), Value(body),
        ]
    }

    /// Reads `position` and `columns`.
    static func read(_ row: Row) throws(SQLiteError) -> (position: Int64, fragment: Fragment) {
        guard let stream = StreamName(row.text(1)) else { throw row.unreadable(1) }
        let fragment = Fragment(
            stream: stream,
            action: row.text(2),
            target: row.optionalText(3),
            targets: row.optionalText(4),
            content: try content(row)
        )
        return (row.integer(0), fragment)
    }

    private static func content(_ row: Row) throws(SQLiteError) -> Fragment.Content {
        switch row.text(6) {
        case "template":
            guard let values = Netstrings.decode(row.text(8)) else { throw row.unreadable(8) }
            return .template(name: row.text(7), values: values)
        case "html": return .html(row.text(8))
        case "markup": return .markup(row.text(8))
        case "none": return .none
        default: throw row.unreadable(6)
        }
    }
}
