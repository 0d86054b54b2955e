/// The first message of a TLS handshake, read for one thing: whether the client offers HTTP/2
/// (RFC 8446 §4.1.2, ALPN in RFC 7301 §3.1).
public enum ClientHello {
    public enum Verdict: Equatable, Sendable {
        /// More bytes are needed.
        case incomplete
        case offersHTTP2
        /// It offers something else, or is no ClientHello in one record: OpenSSL has the last word on it.
        case other
    }

    /// Of a record's length field: 2^14 (RFC 8446 §5.1), and the five bytes before it.
    public static let longest = 5 + (1 << 14)

    /// `bytes` is what has arrived so far, from the first byte of the connection.
    public static func judge(_ bytes: some Collection<UInt8>) -> Verdict {
        var reader = Reader(bytes)
        guard let kind = reader.byte() else { return .incomplete }
        guard kind == 22 else { return .other }
        guard reader.skip(2), let length = reader.number(bytes: 2) else { return .incomplete }
        guard (4...(1 << 14)).contains(length) else { return .other }
        guard let record = reader.take(length) else { return .incomplete }
        return offersHTTP2(record) == true ? .offersHTTP2 : .other
    }

    /// Nil when it is malformed, or goes on in another record.
    private static func offersHTTP2(_ record: ArraySlice<UInt8>) -> Bool? {
        var reader = Reader(record)
        guard reader.byte() == 1, let length = reader.number(bytes: 3), let hello = reader.take(length) else {
            return nil
        }
        reader = Reader(hello)
        // Version and random, session id, cipher suites, compression methods.
        guard reader.skip(34), reader.skipList(lengthBytes: 1), reader.skipList(lengthBytes: 2),
            reader.skipList(lengthBytes: 1), let extensions = reader.list(lengthBytes: 2)
        else { return nil }
        reader = Reader(extensions)
        while let kind = reader.number(bytes: 2), let content = reader.list(lengthBytes: 2) {
            if kind == 16 { return namesHTTP2(content) }
        }
        return false
    }

    private static func namesHTTP2(_ content: ArraySlice<UInt8>) -> Bool {
        var reader = Reader(content)
        guard let names = reader.list(lengthBytes: 2) else { return false }
        reader = Reader(names)
        while let name = reader.list(lengthBytes: 1) {
            if name.elementsEqual("h2".utf8) { return true }
        }
        return false
    }
}

/// Takes bytes from the front; nil beyond the end.
private struct Reader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) {
        rest = ArraySlice(bytes)
    }

    mutating func byte() -> Int? { rest.popFirst().map(Int.init) }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func skip(_ count: Int) -> Bool { take(count) != nil }

    /// Three bytes at the most.
    mutating func number(bytes: Int) -> Int? {
        take(bytes)?.reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func list(lengthBytes: Int) -> ArraySlice<UInt8>? {
        number(bytes: lengthBytes).flatMap { take($0) }
    }

    mutating func skipList(lengthBytes: Int) -> Bool { list(lengthBytes: lengthBytes) != nil }
}
