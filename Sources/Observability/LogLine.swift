/// The two formats of a log line. Control characters never reach the terminal or break a line.
enum LogLine {
    static func text(time: String, level: Log.Level, message: String, fields pairs: [(String, String)]) -> String {
        let fields = pairs.map { " \($0.0)=\(quotedIfNeeded($0.1))" }.joined()
        let name = level.name.uppercased()
        return "\(time) \(name)\(String(repeating: " ", count: 7 - name.utf8.count)) \(message)\(fields)"
    }

    static func json(time: String, level: Log.Level, message: String, fields pairs: [(String, String)]) -> String {
        let head = [("time", time), ("level", level.name), ("message", message)]
        return "{" + (head + pairs).map { "\(quoted($0.0)):\(quoted($0.1))" }.joined(separator: ",") + "}"
    }

    private static func quotedIfNeeded(_ text: String) -> String {
        let isPlainWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 32 && $0 != 34 && $0 != 61 && $0 != 127 }
        return isPlainWord && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.properties.generalCategory == .control || ["\u{2028}", "\u{2029}"].contains(scalar):
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
