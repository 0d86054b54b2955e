/// The head of an answer of HTTP/1.1, as our own loops write it, read for HTTP/2.
struct ResponseHead: Equatable {
    var status: Int
    /// Names in lower case, without those that are about one connection.
    var fields: [Field] = []
    /// Bytes of the body; nil when it ends with the connection.
    var length: Int?

    struct Field: Equatable {
        var name: String
        var value: String
    }

    /// Ours have a few hundred bytes.
    static let limit = 16 << 10

    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// Nil for what is no final answer. `text` ends before the empty line.
    init?(_ text: some Collection<UInt8>) {
        var lines = String(decoding: text, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)[
            ...
        ]
        let words = lines.popFirst()?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            (200...599).contains(status)
        else { return nil }
        self.status = status
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            if name == "transfer-encoding" { return nil }
            if name == "content-length" {
                guard let length = Int(value), length >= 0 else { return nil }
                self.length = length
            }
            guard !ResponseHead.dropped.contains(name) else { continue }
            fields.append(Field(name: name, value: String(value)))
        }
        if status == 204 || status == 304 { length = 0 }
    }
}
