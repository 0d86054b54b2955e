/// One complete HTTP/1.1 answer.
struct HTTPAnswer {
    let status: Int
    let endsConnection: Bool
    let text: String

    /// Returns nil until the answer is complete.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
        let length = HTTPAnswer.value(of: "content-length", in: lines).flatMap { Int($0) } ?? 0
        guard bytes.count >= end + length else { return nil }
        status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        endsConnection = HTTPAnswer.value(of: "connection", in: lines) == "close"
        text = String(decoding: bytes.prefix(16 << 10), as: UTF8.self)
    }

    private static func value(of name: String, in lines: [Substring]) -> String? {
        guard let line = lines.first(where: { $0.hasPrefix(name + ":") }) else { return nil }
        return String(line.dropFirst(name.count + 1).drop { $0 == " " })
    }
}

extension String {
    /// What stands between the first `start` and the next `end`.
    func between(_ start: String, _ end: String) -> String? {
        guard let first = firstRange(of: start)?.upperBound, let last = self[first...].firstRange(of: end)?.lowerBound
        else { return nil }
        return String(self[first..<last])
    }
}
