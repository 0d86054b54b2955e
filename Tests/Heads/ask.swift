import Glibc

/// Asks our parser about heads: each comes as four bytes of its length, most significant first, and its bytes; each
/// answer is one line of JSON. Compiled together with Sources/HTTP/HTTP1 into one module: see `run`.
@main
enum Ask {
    /// The arguments of queries that the generated heads have.
    private static let arguments = ["name", "a", "é", ""]

    static func main() {
        var rest = input()[...]
        while rest.count >= 4 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            print(answer(Array(rest.dropFirst(4).prefix(length))))
            rest = rest.dropFirst(4 + length)
        }
    }

    private static func answer(_ bytes: [UInt8]) -> String {
        var buffer = RequestBuffer()
        bytes.withUnsafeBytes { buffer.append($0) }
        do {
            guard let head = try buffer.takeHead() else { return object([("waits", "true")]) }
            return object(members(head) + [("consumed", "\(bytes.count - buffer.count)")])
        } catch {
            return object([("flaw", literal("\(error)"))])
        }
    }

    private static func members(_ head: RequestHead) -> [(String, String)] {
        let fields = FieldName.allCases.compactMap { name in head[name].map { (name.rawValue, literal($0)) } }
        let query = arguments.compactMap { name in head.query[name].map { (name, literal($0)) } }
        return [
            ("method", literal(head.method)), ("path", literal(head.path)), ("query", object(query)),
            ("host", head.host.map(literal) ?? "null"), ("http10", "\(head.isHTTP10)"),
            ("length", head.contentLength.map { "\($0)" } ?? "null"), ("last", "\(head.isLast)"),
            ("websocket", "\(head.asksForWebSocket)"), ("fields", object(fields)),
        ]
    }

    private static func object(_ members: [(name: String, json: String)]) -> String {
        "{" + members.map { "\(literal($0.name)): \($0.json)" }.joined(separator: ", ") + "}"
    }

    private static func literal(_ text: String) -> String {
        let units = text.utf16.map { unit in
            let isPlain = (32..<127).contains(unit) && unit != 34 && unit != 92
            guard !isPlain else { return String(decoding: [unit], as: UTF16.self) }
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"" + units.joined() + "\""
    }

    private static func input() -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(0, &piece, piece.count), count > 0 { all += piece[..<count] }
        return all
    }
}
