/// Reads a status line and headers, line by line; pure. It drops an interim answer (1xx) when the next head begins.
struct ReceivedHead {
    enum LineAction: Equatable {
        case more
        case complete
        case refuse
    }

    private(set) var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    private var size = 0

    /// Takes one line with its line break, as libcurl passes it. Refuses more than 64 KiB in total.
    mutating func received(_ bytes: UnsafeRawBufferPointer) -> LineAction {
        size += bytes.count
        guard size <= 64 << 10 else { return .refuse }
        let line = trimmed(String(decoding: bytes, as: UTF8.self)[...])
        if line.hasPrefix("HTTP/") {
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            headers = []
        } else if line.isEmpty {
            return status >= 200 ? .complete : .more
        } else if let colon = line.firstIndex(of: ":") {
            headers.append((String(line[..<colon]), trimmed(line[line.index(after: colon)...])))
        }
        return .more
    }
}

private func trimmed(_ text: Substring) -> String {
    let start = text.drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
}
