import Domain

/// Converts between a fragment and its row. Rows hold facts, not HTML, so that missed fragments are rendered with
/// today's templates.
enum FragmentRow {
    static let columns = "stream, collapse_key, position, ordinal, action, target, targets, content, template, body"

    /// The rows of an entry's fragments. Those of one purchase have the same values, which are then packed once.
    static func values(_ fragments: [Fragment], at position: Int64) -> [[Value]] {
        var rows: [[Value]] = []
        var last: (values: [UInt8], body: Value)?
        for (ordinal, fragment) in fragments.enumerated() {
            let (content, template, body): (ContentKind, String?, Value)
            switch fragment.content {
            case .template(let name, let values):
                let bytes = ValuesColumn.encode(values)
                let packed = last.flatMap { $0.values == bytes ? $0.body : nil } ?? stored(bytes)
                last = (bytes, packed)
                (content, template, body) = (.template, name, packed)
            case .html(let html): (content, template, body) = (.html, nil, stored(Array(html.utf8)))
            case .markup(let markup): (content, template, body) = (.markup, nil, stored(Array(markup.utf8)))
            case .none: (content, template, body) = (.none, nil, .null)
            }
            rows.append([
                .text(fragment.stream.text), .text(fragment.collapseKey?.text ?? ""), .integer(position),
                .integer(Int64(ordinal)), .text(fragment.action), Value(fragment.target), Value(fragment.targets),
                Value(content), Value(template), body,
            ])
        }
        return rows
    }

    private static func stored(_ body: [UInt8]) -> Value { .bytes(StoredBody(compressing: body).bytes) }

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
        case .template: return .template(name: template, values: try reader.packed { ValuesColumn.decode($0) })
        case .html: return .html(try reader.packed { String(decoding: $0, as: UTF8.self) })
        case .markup: return .markup(try reader.packed { String(decoding: $0, as: UTF8.self) })
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
