import Foundation

/// A JSON text in which single members are changed.
struct WireText {
    private var root: Any

    init(_ bytes: [UInt8]) throws {
        root = try JSONSerialization.jsonObject(with: Data(bytes))
    }

    func bytes() throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: root, options: .withoutEscapingSlashes))
    }

    /// The text at `place`: names and indexes with dots between them.
    func text(_ place: String) -> String? {
        place.split(separator: ".").reduce(Optional(root)) { ($0 as? [String: Any])?[String($1)] } as? String
    }

    mutating func set(_ place: String, to json: String) throws {
        let value = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        root = WireText.setting(value, at: place.split(separator: ".")[...], in: root)
    }

    mutating func set(_ edits: [String: String]) throws {
        for (place, json) in edits { try set(place, to: json) }
    }

    private static func setting(_ value: Any, at place: ArraySlice<Substring>, in node: Any) -> Any {
        guard let name = place.first else { return value }
        if var items = node as? [Any], let index = Int(name), items.indices.contains(index) {
            items[index] = setting(value, at: place.dropFirst(), in: items[index])
            return items
        }
        var members = node as? [String: Any] ?? [:]
        members[String(name)] = setting(value, at: place.dropFirst(), in: members[String(name)] ?? [String: Any]())
        return members
    }
}
