/// A request of HTTP/2 in the form of HTTP/1.1, built field by field.
///
/// nghttp2 has checked names, values and the order of pseudo-header fields (RFC 9113 §8.2, §8.3) before they arrive
/// here. The text goes to a parser of HTTP/1.1, so bytes that could end a line or a request early are refused again.
struct RequestText {
    /// The most bytes that all fields may have together, as for a head of HTTP/1.1.
    static let limit = 16 << 10

    private(set) var method: [UInt8] = []
    private var path: [UInt8] = []
    private var authority: [UInt8]?
    private var host: [UInt8]?
    private var fields: [UInt8] = []
    /// Browsers send each cookie in a field of its own.
    private var cookies: [UInt8] = []
    private var size = 0

    /// The request gets no answer but a reset: it is malformed, too large, or would turn the stream into a tunnel.
    private(set) var isFlawed = false

    /// Fields that concern only one connection, or that no code behind this reads.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te", "expect",
        "http2-settings", "priority",
    ]

    mutating func add(_ name: some Collection<UInt8>, value: some Collection<UInt8>) {
        // Dropped fields count too, since they cost as much to read (RFC 9113 §6.5.2 adds 32 for each).
        size += name.count + value.count + 32
        guard !isFlawed, size <= RequestText.limit, value.allSatisfy(isFieldByte) else { return isFlawed = true }
        switch String(decoding: name, as: UTF8.self) {
        case ":method": method = Array(value)
        case ":path": path = Array(value)
        case ":authority": authority = Array(value)
        case "host": host = Array(value)
        case ":scheme": break
        case "cookie": cookies += (cookies.isEmpty ? [] : Array("; ".utf8)) + value
        case let name where name.hasPrefix(":") || name.isEmpty: isFlawed = true
        case let name where RequestText.dropped.contains(name): break
        case let name: append(name, value: value)
        }
    }

    /// Returns the complete head, or nil if it cannot be written.
    func finish() -> [UInt8]? {
        let isVisible = { (bytes: [UInt8]) in bytes.allSatisfy { $0 > 32 && $0 != 127 } }
        // Two different hosts are as malformed as in HTTP/1.1 (RFC 9113 §8.3.1).
        let isOne = authority == nil || host == nil || authority == host
        guard !isFlawed, isOne, let host = authority ?? host, !method.isEmpty, method != Array("CONNECT".utf8),
            path.first == UInt8(ascii: "/"), isVisible(method), isVisible(path), isVisible(host)
        else { return nil }
        var text = method + [32] + path
        text.reserveCapacity(text.count + host.count + fields.count + 64)
        text += " HTTP/1.1\r\nhost: ".utf8
        text += host
        text += "\r\n".utf8
        text += fields
        if !cookies.isEmpty { text += Array("cookie: ".utf8) + cookies + Array("\r\n".utf8) }
        text += "connection: close\r\n\r\n".utf8
        return text
    }

    private mutating func append(_ name: String, value: some Collection<UInt8>) {
        fields += name.utf8
        fields += ": ".utf8
        fields += value
        fields += "\r\n".utf8
    }
}
