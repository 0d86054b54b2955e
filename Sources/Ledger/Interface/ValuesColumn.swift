import Encoding

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
