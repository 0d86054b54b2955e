/// A dictionary as text: `4:user,2:42,…` (https://cr.yp.to/proto/netstrings.txt). Any value fits without escapes, and
/// it reads well in the sqlite3 shell.
enum Netstrings {
    static func encode(_ values: [String: String]) -> String {
        var text = ""
        for (key, value) in values {
            text += "\(key.utf8.count):\(key),\(value.utf8.count):\(value),"
        }
        return text
    }

    static func decode(_ text: String) -> [String: String]? {
        var rest = Substring(text).utf8
        var values: [String: String] = [:]
        while !rest.isEmpty {
            guard let key = next(&rest), let value = next(&rest) else { return nil }
            values[key] = value
        }
        return values
    }

    private static func next(_ rest: inout Substring.UTF8View) -> String? {
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let count = Int(Substring(rest[..<colon])),
            count >= 0, let end = rest.index(rest.index(after: colon), offsetBy: count, limitedBy: rest.endIndex),
            end < rest.endIndex, rest[end] == UInt8(ascii: ",")
        else { return nil }
        let text = String(Substring(rest[rest.index(after: colon)..<end]))
        rest = rest[rest.index(after: end)...]
        return text
    }
}
