internal import Encoding

/// Converts between a template's values and their column: a JSON object of strings.
public enum ValuesColumn {
    public static func encode(_ values: [String: String]) -> String {
        var json: [UInt8] = []
        // Enough for all values without escapes: each commit writes a few of these.
        json.reserveCapacity(values.reduce(2) { $0 + $1.key.utf8.count + $1.value.utf8.count + 6 })
        json.append(UInt8(ascii: "{"))
        for (name, value) in values {
            if json.count > 1 { json.append(comma) }
            JSONLiteral.append(Array(name.utf8), to: &json)
            json.append(colon)
            JSONLiteral.append(Array(value.utf8), to: &json)
        }
        json.append(UInt8(ascii: "}"))
        return String(decoding: json, as: UTF8.self)
    }

    /// Returns nil for anything that `encode` does not write.
    public static func decode(_ text: String) -> [String: String]? {
        guard case .object(let members) = JSONNode(Array(text.utf8)) else { return nil }
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
