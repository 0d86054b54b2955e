internal import Domain

/// Converts between a fragment and its row. Rows hold facts, not HTML, so that missed fragments are rendered with
/// today's templates.
enum FragmentRow {
    static let columns = "stream, collapse_key, position, ordinal, action, target, targets, content, template, body"

    static func values(_ fragment: Fragment, at position: Int64, ordinal: Int) -> [Value] {
        let (content, template, body): (ContentKind, String?, String?) =
            switch fragment.content {
            case .template(let name, let values): (.template, name, ValuesColumn.encode(values))
            case .html(let html): (.html, nil, html)
            case .markup(let markup): (.markup, nil, markup)
            case .none: (.none, nil, nil)
            }
        return [
            .text(fragment.stream.text), .text(fragment.collapseKey?.text ?? ""), .integer(position),
            .integer(Int64(ordinal)), .text(fragment.action), Value(fragment.target), Value(fragment.targets),
            Value(content), Value(template), Value(body),
        ]
    }

    static func read(_ row: Row) throws(EngineError) -> PlacedFragment {
        var reader = RowReader(row)
        let stream = try reader.parsed { StreamName($0) }
        // The key follows from the rest.
        reader.skip()
        let position = reader.integer()
        let ordinal = reader.integer()
        let fragment = Fragment(
            stream: stream,
            action: reader.text(),
            target: reader.optionalText(),
            targets: reader.optionalText(),
            content: try content(&reader)
        )
        return PlacedFragment(position: position, ordinal: ordinal, fragment: fragment)
    }

    private static func content(_ reader: inout RowReader) throws(EngineError) -> Fragment.Content {
        let kind = try reader.parsed { ContentKind(rawValue: $0) }
        let template = reader.text()
        switch kind {
        case .template: return .template(name: template, values: try reader.parsed { ValuesColumn.decode($0) })
        case .html: return .html(reader.text())
        case .markup: return .markup(reader.text())
        case .none: return .none
        }
    }

    private enum ContentKind: String {
        case template, html, markup, none
    }
}

/// A fragment and its position in the ledger.
struct PlacedFragment {
    var position: Int64
    /// Its index within its entry.
    var ordinal: Int64
    var fragment: Fragment
}
