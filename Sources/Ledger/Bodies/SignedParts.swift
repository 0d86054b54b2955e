import Encoding
import Glibc

/// A body with signed documents (JWS, RFC 7515 §7.1) taken apart: Apple's notification is one, in whose payload are two
/// more, and all three repeat 4 KB of certificates, the inner ones in Base64 of Base64.
///
/// Parts follow each other. A number is in groups of seven bits, the lowest first.
///
/// | kind | then |
/// |---|---|
/// | 0 | a length, and that many bytes as they came |
/// | 1 | a document with the shared header: its payload and its signature |
/// | 2 | a document with another header: the header, the payload and the signature |
///
/// Of a document, everything is a length and that many bytes, decoded; the bytes of a payload are parts again.
enum SignedParts {
    private enum Kind {
        static let text: UInt8 = 0
        static let shared: UInt8 = 1
        static let other: UInt8 = 2
    }

    /// Apple's notifications have two levels.
    private static let depthLimit = 4
    /// After so many texts that only look like documents, the rest is text: this bounds the work on a text made for it.
    private static let attempts = 16

    /// Nil when there is no document.
    static func take(_ body: [UInt8], sharing header: [UInt8]?) -> (parts: [UInt8], usesHeader: Bool)? {
        var taker = Taker(header: header)
        let parts = taker.parts(of: body, depth: 0)
        return taker.found ? (parts, taker.usesHeader) : nil
    }

    private struct Taker {
        let header: [UInt8]?
        var found = false
        var usesHeader = false

        mutating func parts(of text: [UInt8], depth: Int) -> [UInt8] {
            var parts: [UInt8] = []
            var done = 0
            var attempts = depth < SignedParts.depthLimit ? SignedParts.attempts : 0
            var start = SignedParts.beginning(in: text, from: 0)
            while let candidate = start, attempts > 0 {
                attempts -= 1
                guard let document = Document(in: text, at: candidate, sharing: header) else {
                    start = SignedParts.beginning(in: text, from: candidate + 1)
                    continue
                }
                parts.append(text: text[done..<candidate])
                add(document, to: &parts, depth: depth)
                done = document.end
                start = SignedParts.beginning(in: text, from: done)
            }
            parts.append(text: text[done...])
            return parts
        }

        private mutating func add(_ document: Document, to parts: inout [UInt8], depth: Int) {
            found = true
            if let header = document.header {
                parts.append(Kind.other)
                parts.append(counted: header[...])
            } else {
                usesHeader = true
                parts.append(Kind.shared)
            }
            parts.append(counted: self.parts(of: document.payload, depth: depth + 1)[...])
            parts.append(counted: document.signature[...])
        }
    }

    /// Three pieces of Base64 with dots between them, decoded. Decoding is strict, so each has one text only.
    private struct Document {
        /// Nil for the shared one.
        var header: [UInt8]?
        var payload: [UInt8]
        var signature: [UInt8]
        var end: Int

        init?(in text: [UInt8], at start: Int, sharing shared: [UInt8]?) {
            let dot = UInt8(ascii: ".")
            var first = text.count
            if let shared, text.has(shared, at: start) {
                first = start + shared.count
            } else {
                first = offset(of: dot, in: text.span, from: start)
                guard let own = Base64URL.decode(text[start..<first]) else { return nil }
                header = own
            }
            guard first < text.count, text[first] == dot else { return nil }
            let second = offset(of: dot, in: text.span, from: first + 1)
            guard second < text.count, let payload = Base64URL.decode(text[(first + 1)..<second]) else { return nil }
            let end = text[(second + 1)...].firstIndex { !Base64URL.hasDigit($0) } ?? text.count
            guard let signature = Base64URL.decode(text[(second + 1)..<end]) else { return nil }
            self.payload = payload
            self.signature = signature
            self.end = end
        }
    }

    /// Where Base64 of `{"` begins, `eyJ`: every header does. The last of the three is the rarest in JSON.
    private static func beginning(in text: [UInt8], from start: Int) -> Int? {
        var last = offset(of: UInt8(ascii: "J"), in: text.span, from: start + 2)
        while last < text.count {
            if text[last - 1] == UInt8(ascii: "y"), text[last - 2] == UInt8(ascii: "e") { return last - 2 }
            last = offset(of: UInt8(ascii: "J"), in: text.span, from: last + 1)
        }
        return nil
    }
}

/// Putting together.
extension SignedParts {
    /// The bytes that were taken apart. `limit` is how large they may become.
    static func join(_ parts: [UInt8], header: [UInt8]?, limit: Int) throws(UnreadableBody) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(min(limit, parts.count * 2 + 24 * 1024))
        try join(parts[...], header: header, limit: limit, depth: 0, to: &text)
        return text
    }

    private static func join(
        _ parts: ArraySlice<UInt8>,
        header: [UInt8]?,
        limit: Int,
        depth: Int,
        to text: inout [UInt8]
    ) throws(UnreadableBody) {
        guard depth <= depthLimit else { throw .damagedParts }
        var rest = parts
        while let kind = rest.popFirst() {
            switch kind {
            case Kind.text: text += try rest.takeCounted()
            case Kind.shared:
                guard let header else { throw .missingHeader }
                text += header
            case Kind.other: Base64URL.append(try rest.takeCounted(), to: &text)
            default: throw .damagedParts
            }
            if kind != Kind.text {
                text.append(UInt8(ascii: "."))
                var payload: [UInt8] = []
                try join(try rest.takeCounted(), header: header, limit: limit, depth: depth + 1, to: &payload)
                Base64URL.append(payload[...], to: &text)
                text.append(UInt8(ascii: "."))
                Base64URL.append(try rest.takeCounted(), to: &text)
            }
            guard text.count <= limit else { throw .tooLarge }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: ArraySlice<UInt8>) {
        guard !text.isEmpty else { return }
        append(0)
        append(counted: text)
    }

    fileprivate mutating func append(counted bytes: ArraySlice<UInt8>) {
        var count = bytes.count
        while count > 127 {
            append(UInt8(count & 127) | 128)
            count >>= 7
        }
        append(UInt8(count))
        self += bytes
    }

    fileprivate func has(_ piece: [UInt8], at start: Int) -> Bool {
        guard !piece.isEmpty, start + piece.count <= count else { return false }
        return withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { memcmp($0 + start, piece, piece.count) == 0 } ?? false
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func takeCounted() throws(UnreadableBody) -> ArraySlice<UInt8> {
        var count = 0
        var shift = 0
        while true {
            guard let byte = popFirst(), shift < 28 else { throw .damagedParts }
            count |= Int(byte & 127) << shift
            shift += 7
            if byte < 128 { break }
        }
        guard count <= self.count else { throw .damagedParts }
        defer { self = dropFirst(count) }
        return prefix(count)
    }
}
