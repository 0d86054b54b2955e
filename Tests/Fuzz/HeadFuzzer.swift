/// Any bytes as what a peer sends over one connection. A violated rule traps, which libFuzzer reports with its input.
///
/// Compiled together with Sources/HTTP/HTTP1 into one module: see `run`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHeads(_ start: UnsafePointer<UInt8>?, count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = Reading(of: input) { _ in input.count }
    // What arrives in one piece, byte by byte, or in pieces of any sizes means the same.
    rule(whole == Reading(of: input) { _ in 1 }, name: "byte by byte")
    rule(whole == Reading(of: input) { Int(input[$0]) + 1 }, name: "in pieces")
    for request in whole.requests { check(request) }
    // Behind itself, an input with an empty line at both ends would have two of them.
    let canRepeat = !whole.hasFailed && whole.waiting == 0 && input.first != 13
    if canRepeat, !whole.requests.isEmpty { checkMemory(input, requests: whole.requests.count) }
    return 0
}

private func rule(_ holds: Bool, name: @autoclosure () -> String) {
    guard !holds else { return }
    fatalError(name())
}

/// One request: what was read of it, and the bytes that it was read from.
private struct ReadRequest: Equatable {
    var meaning: Meaning
    var head: [UInt8]
    var body: [UInt8]
}

/// Everything of a head that others can see.
private struct Meaning: Equatable {
    var method: String
    var path: String
    var host: String?
    var isHTTP10: Bool
    var contentLength: Int?
    var isLast: Bool
    var asksForWebSocket: Bool
    var isForwarded: Bool
    var hasTransferEncoding: Bool
    /// Without the white space at the end that an empty item of a list leaves.
    var values: [FieldName: String]
    var query: Query

    init(_ head: RequestHead) {
        method = head.method
        path = head.path
        host = head.host
        isHTTP10 = head.isHTTP10
        contentLength = head.contentLength
        isLast = head.isLast
        asksForWebSocket = head.asksForWebSocket
        isForwarded = head.isForwarded
        hasTransferEncoding = head.hasTransferEncoding
        query = head.query
        values = [:]
        for name in FieldName.allCases {
            rule(
                head.has(name) == (head[name] != nil) && head.has(name) == (head.bytes(name) != nil),
                name: "has \(name)"
            )
            values[name] = head[name].map(withoutSpace)
        }
    }

    /// Queries are compared by `sameArguments`, which knows their names.
    static func == (one: Meaning, other: Meaning) -> Bool {
        one.method == other.method && one.path.utf8.elementsEqual(other.path.utf8) && one.host == other.host
            && one.isHTTP10 == other.isHTTP10 && one.contentLength == other.contentLength
            && one.isLast == other.isLast && one.asksForWebSocket == other.asksForWebSocket
            && one.isForwarded == other.isForwarded && one.hasTransferEncoding == other.hasTransferEncoding
            && one.values == other.values
    }
}

/// A connection's input, read to its end or to its first flaw.
private struct Reading: Equatable {
    var requests: [ReadRequest] = []
    /// Which flaw may depend on the pieces (a head can be both too large and malformed); that there is one may not.
    var hasFailed = false
    /// Bytes that were neither read nor refused.
    var waiting = 0

    private static let bodyLimit = 4096

    init(of input: [UInt8], pieces: (Int) -> Int) {
        var buffer = RequestBuffer()
        var (sent, read) = (0, 0)
        var pending: (meaning: Meaning, head: [UInt8], length: Int)?
        while true {
            do {
                if let (meaning, bytes, length) = pending {
                    if let body = buffer.takeBody(length) {
                        read += length
                        requests.append(ReadRequest(meaning: meaning, head: bytes, body: body))
                        pending = nil
                        continue
                    }
                } else if let head = try buffer.takeHead() {
                    // Whoever gets a longer body than it takes ends the connection.
                    let length = head.contentLength ?? 0
                    rule(sent - buffer.count > read, name: "reads nothing")
                    guard length <= Reading.bodyLimit else {
                        waiting = length
                        return
                    }
                    pending = (Meaning(head), Array(input[read..<(sent - buffer.count)]), length)
                    read = sent - buffer.count
                    continue
                }
            } catch {
                rule(
                    (400...431).contains(error.status) && !error.code.isEmpty && !error.description.isEmpty,
                    name: "flaw"
                )
                hasFailed = true
                return
            }
            guard sent < input.count else { break }
            let end = min(input.count, sent + pieces(sent))
            input[sent..<end].withUnsafeBytes { buffer.append($0) }
            sent = end
            rule(
                pending != nil || buffer.count <= RequestHead.sizeLimit + 2 || end - read > 256,
                name: "waits for more"
            )
        }
        waiting = buffer.count + (pending?.length ?? 0)
    }
}

/// Against a reader of its own, which may be naive because the head has been accepted.
private func check(_ request: ReadRequest) {
    let (meaning, head) = (request.meaning, request.head)
    var rest = head[...]
    if rest.starts(with: [13, 10]) { rest = rest.dropFirst(2) }
    rule(rest.count <= RequestHead.sizeLimit, name: "size")
    rule(rest.suffix(4).elementsEqual([13, 10, 13, 10]), name: "ends with an empty line")
    for (index, byte) in zip(rest.indices, rest) {
        switch byte {
        case 13: rule(index + 1 < head.endIndex && head[index + 1] == 10, name: "bare CR")
        case 10: rule(index > rest.startIndex && head[index - 1] == 13, name: "bare LF")
        default: rule(byte >= 32 && byte != 127 || byte == 9, name: "control character")
        }
    }
    var lines = rest.dropLast(4).split(separator: 13, omittingEmptySubsequences: false)
    lines = [lines[0]] + lines.dropFirst().map { $0.dropFirst() }
    rule(!lines.contains(where: \.isEmpty), name: "consumed more than one head")
    rule(lines.count - 1 <= RequestHead.fieldLimit && lines[0].count <= RequestHead.lineLimit, name: "limits")

    var sent: [String: [[UInt8]]] = [:]
    for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: 58) else { fatalError("no colon") }
        rule(colon > line.startIndex && !line[..<colon].contains { $0 <= 32 || $0 >= 127 }, name: "name")
        sent[String(decoding: line[..<colon], as: UTF8.self).lowercased(), default: []]
            .append(Array(line[(colon + 1)...].trimmed))
    }
    for name in FieldName.allCases {
        let values = sent[name.rawValue] ?? []
        rule(name.isList || values.count <= 1, name: "\(name) twice")
        let joined = values.isEmpty ? nil : values.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
        rule(meaning.values[name] == joined.map(withoutSpace), name: "\(name)")
    }
    rule(meaning.contentLength == meaning.values[.contentLength].flatMap { Int($0) }, name: "content length")
    rule((meaning.contentLength == nil) == (sent["content-length"] == nil), name: "content length unread")
    rule(request.body.count == meaning.contentLength ?? 0, name: "body")
    let connection = items(meaning.values[.connection])
    rule(
        meaning.isLast == (connection.contains("close") || meaning.isHTTP10 && !connection.contains("keep-alive")),
        name: "last"
    )
    let upgrades = items(meaning.values[.upgrade]).contains("websocket") && connection.contains("upgrade")
    let isPlain = meaning.method == "GET" && !meaning.isHTTP10 && request.body.isEmpty && !meaning.hasTransferEncoding
    rule(meaning.asksForWebSocket == (upgrades && isPlain), name: "upgrade")

    let words = lines[0].split(separator: 32, omittingEmptySubsequences: false)
    rule(words.count == 3 && words[0].elementsEqual(meaning.method.utf8), name: "method")
    rule(words[2].elementsEqual((meaning.isHTTP10 ? "HTTP/1.0" : "HTTP/1.1").utf8), name: "version")
    checkCanonical(meaning, target: words[1])
}

private func items(_ list: String?) -> [String] {
    (list ?? "").utf8.split(separator: 44).map { withoutSpace(String(decoding: $0, as: UTF8.self)).lowercased() }
}

private func withoutSpace(_ text: String) -> String {
    String(decoding: Array(text.utf8)[...].trimmed, as: UTF8.self)
}

/// Written anew in the one form that everybody reads alike, the head means what it meant.
private func checkCanonical(_ meaning: Meaning, target: ArraySlice<UInt8>) {
    var text = meaning.method + " "
    var names: [String] = []
    if meaning.path == "*" {
        text += String(decoding: target, as: UTF8.self)
    } else {
        rule(meaning.path.utf8.first == 47 && !meaning.path.utf8.contains(0), name: "path")
        rule(!meaning.path.utf8.split(separator: 47).contains { $0.elementsEqual("..".utf8) }, name: "parent")
        text += escaped(meaning.path)
        let query = target.drop { $0 != 63 }.dropFirst()
        let arguments = query.split(separator: 38).map { pair in
            let name = pair.prefix { $0 != 61 }
            return (decoded(name), decoded(pair.dropFirst(name.count + 1)))
        }
        for (name, value) in arguments.reversed() where !names.contains(name) {
            let first = arguments.first { $0.0.utf8.elementsEqual(name.utf8) }?.1 ?? value
            rule(meaning.query[name].map { $0.utf8.elementsEqual(first.utf8) } ?? false, name: "argument")
            names.append(name)
        }
        text += "?" + arguments.map { "\(escaped($0.0))=\(escaped($0.1))" }.joined(separator: "&")
    }
    text += meaning.isHTTP10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n"
    if let host = meaning.host { text += "host: \(host)\r\n" }
    for name in FieldName.allCases where name != .host {
        if let value = meaning.values[name] { text += "\(name.rawValue): \(value)\r\n" }
    }
    text += "\r\n"
    // Escapes need three times the room.
    guard text.utf8.count <= RequestHead.lineLimit else { return }
    guard let again = try? RequestHead(parsing: Array(text.utf8)[...]) else { fatalError("canonical form: \(text)") }
    var expected = meaning
    // The authority of an absolute form has become the host.
    expected.values[.host] = meaning.host
    rule(Meaning(again) == expected, name: "means another thing when written anew: \(text)")
    for name in names { rule(again.query[name] == meaning.query[name], name: "argument when written anew") }
}

private func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var escaped: [UInt8] = []
    for byte in text.utf8 {
        if byte == 47 || (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) {
            escaped.append(byte)
        } else {
            escaped += [37, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: escaped, as: UTF8.self)
}

private func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
        switch byte {
        case 43: result.append(32)
        case 37:
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                fatalError("broken escape")
            }
            result.append(value)
            rest = rest.dropFirst(2)
        default: result.append(byte)
        }
    }
    guard let text = String(validating: result, as: UTF8.self) else { fatalError("no UTF-8") }
    return text
}

/// Requests that were read leave nothing behind, however many there were and however their pieces overlap.
private func checkMemory(_ input: [UInt8], requests: Int) {
    var buffer = RequestBuffer()
    var read = 0
    let half = input.count / 2
    input[..<half].withUnsafeBytes { buffer.append($0) }
    let rounds = min(64, 1 + (200 << 10) / input.count)
    for _ in 0..<rounds {
        input[half...].withUnsafeBytes { buffer.append($0) }
        input[..<half].withUnsafeBytes { buffer.append($0) }
        while buffer.count >= input.count, let head = try? buffer.takeHead() {
            guard buffer.takeBody(head.contentLength ?? 0) != nil else { break }
            read += 1
        }
        rule(buffer.capacity <= 4 * (64 << 10) + 4 * input.count, name: "memory")
    }
    rule(read >= rounds, name: "reads \(read) of \(rounds * requests) requests")
}
