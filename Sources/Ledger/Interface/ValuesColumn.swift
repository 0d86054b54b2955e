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

    /// Reads a column that any version of the ledger wrote; returns nil for anything else.
    public static func decode(_ text: String) -> [String: String]? {
        let bytes = Array(text.utf8)
        return bytes.first == UInt8(ascii: "{") ? object(bytes) : netstrings(bytes)
    }

    private static func object(_ json: [UInt8]) -> [String: String]? {
        guard case .object(let members) = JSONNode(json) else { return nil }
        var values: [String: String] = [:]
        for member in members {
            guard let name = member.name, let value = member.value.text else { return nil }
            values[name] = value
        }
        return values
    }

    /// The form of rows from before schema 10: `4:user,2:42,…` (https://cr.yp.to/proto/netstrings.txt).
    private static func netstrings(_ bytes: [UInt8]) -> [String: String]? {
        var rest = bytes[...]
        var values: [String: String] = [:]
        while !rest.isEmpty {
            guard let name = netstring(&rest), let value = netstring(&rest) else { return nil }
            values[name] = value
        }
        return values
    }

    private static func netstring(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let end = rest.firstIndex(of: colon), let count = Int(String(decoding: rest[..<end], as: UTF8.self)),
            count >= 0
        else { return nil }
        let body = rest[(end + 1)...]
        guard count < body.count, body[body.startIndex + count] == comma else { return nil }
        rest = body.dropFirst(count + 1)
        return String(validating: body.prefix(count), as: UTF8.self)
    }

    private static let comma = UInt8(ascii: ",")
    private static let colon = UInt8(ascii: ":")
}
