import Domain
import Encoding

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

    static func read(_ row: inout Row) throws(EngineError) -> PlacedFragment {
        let stream = try row.parsed { StreamName($0) }
        // The key follows from the rest.
        row.skip()
        let position = row.integer()
        let ordinal = row.integer()
        let fragment = Fragment(
            stream: stream,
            action: row.text(),
            target: row.optionalText(),
            targets: row.optionalText(),
            content: try content(&row)
        )
        return PlacedFragment(position: position, ordinal: ordinal, fragment: fragment)
    }

    private static func content(_ row: inout Row) throws(EngineError) -> Fragment.Content {
        let kind = try row.parsed { ContentKind(rawValue: $0) }
        let template = row.text()
        switch kind {
        case .template: return .template(name: template, values: try row.packed { ValuesColumn.decode($0) })
        case .html: return .html(try row.packed { String(decoding: $0, as: UTF8.self) })
        case .markup: return .markup(try row.packed { String(decoding: $0, as: UTF8.self) })
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

/// Converts between a template's values and what a fragment's body holds of them: a JSON object of strings, by name.
enum ValuesColumn {
    static func encode(_ values: [String: String]) -> [UInt8] {
        var json: [UInt8] = []
        // Enough for all values without escapes: each commit writes a few of these.
        json.reserveCapacity(values.reduce(2) { $0 + $1.key.utf8.count + $1.value.utf8.count + 6 })
        json.append(UInt8(ascii: "{"))
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            if json.count > 1 { json.append(comma) }
            JSONLiteral.append(Array(name.utf8), to: &json)
            json.append(colon)
            JSONLiteral.append(Array(value.utf8), to: &json)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// Returns nil for anything that `encode` does not write.
    static func decode(_ json: [UInt8]) -> [String: String]? {
        guard case .object(let members) = JSONNode(json) else { return nil }
        var values: [String: String] = [:]
        for member in members {
            guard let name = member.name, let value = member.value.text else { return nil }
            values[name] = value
        }
        return values
    }

    private static let comma = UInt8(ascii: ",")
    private static let colon = UInt8(ascii: ":")
}
