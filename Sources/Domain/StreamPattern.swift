/// How a user's stream is named: `PAYCAST_STREAM_NAME`, default `user:{user}:paywall`.
///
/// A `gid://…` part becomes a GlobalID parameter, so that `gid://shop/User/{user}:paywall` names what
/// `turbo_stream_from Current.user, :paywall` means in the Rails app `shop`
/// (https://github.com/rails/globalid: URL-safe Base64 of the URI, without padding; the id is CGI-escaped).
public struct StreamPattern: Sendable, Hashable {
    public static let standard = StreamPattern(parts: [
        Part(text: "user", isGlobalID: false), Part(text: "{user}", isGlobalID: false),
        Part(text: "paywall", isGlobalID: false),
    ])

    private struct Part: Sendable, Hashable {
        /// What stands around each `{user}`.
        let pieces: [String]
        let isGlobalID: Bool

        init(text: String, isGlobalID: Bool) {
            pieces = text.pieces(around: "{user}")
            self.isGlobalID = isGlobalID
        }
    }

    private let parts: [Part]

    private init(parts: [Part]) {
        self.parts = parts
    }

    /// Nil when `{user}` does not appear exactly once, or when a part could not be in a stream name.
    public init?(_ text: String) {
        guard isPlain(text, limit: 200) else { return nil }
        var parts: [Part] = []
        var pieces = text.split(separator: ":", omittingEmptySubsequences: false)[...]
        while let piece = pieces.popFirst() {
            if piece == "gid", let rest = pieces.first, rest.hasPrefix("//") {
                pieces.removeFirst()
                parts.append(Part(text: "gid:" + rest, isGlobalID: true))
            } else {
                parts.append(Part(text: String(piece), isGlobalID: false))
            }
        }
        let mentions = parts.map { $0.pieces.count - 1 }.reduce(0, +)
        guard mentions == 1 else { return nil }
        self.init(parts: parts)
    }

    /// The stream of `user`; nil when the user id cannot be in a stream name.
    public func stream(for user: UserID) -> StreamName? {
        guard isPlain(user.text) else { return nil }
        return StreamName(parts.map { render($0, user.text) }.joined(separator: ":"))
    }

    /// The user whose stream it is; nil for every stream that is no user's.
    public func user(of stream: StreamName) -> UserID? {
        guard let place = parts.firstIndex(where: { $0.pieces.count == 2 }) else { return nil }
        let before = parts[..<place].map { render($0, "") + ":" }.joined()
        let after = parts[(place + 1)...].map { ":" + render($0, "") }.joined()
        guard let rendered = stream.text.text(between: before, and: after),
            let user = user(in: rendered, parts[place]).map({ UserID($0) }),
            // A parameter has several spellings; only ours is the user's.
            let own = self.stream(for: user), own == stream
        else { return nil }
        return user
    }

    private func user(in rendered: String, _ part: Part) -> String? {
        guard part.isGlobalID else { return rendered.text(between: part.pieces[0], and: part.pieces[1]) }
        return globalID(rendered)?.text(between: part.pieces[0], and: part.pieces[1]).flatMap { formUnescaped($0) }
    }

    private func render(_ part: Part, _ user: String) -> String {
        guard part.isGlobalID else { return part.pieces.joined(separator: user) }
        return globalIDParameter(part.pieces.joined(separator: formEscaped(user)))
    }
}

extension String {
    fileprivate func pieces(around separator: String) -> [String] {
        var pieces: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            pieces.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return pieces + [String(rest)]
    }

    /// What stands between the two, byte by byte; nil unless it begins with the one and ends with the other.
    fileprivate func text(between start: String, and end: String) -> String? {
        guard utf8.count >= start.utf8.count + end.utf8.count, utf8.starts(with: start.utf8),
            utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
        else { return nil }
        return String(utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count))
    }
}

/// Ruby's `CGI.escape`.
private func formEscaped(_ text: String) -> String {
    let hex = Array("0123456789ABCDEF")
    var result = ""
    for byte in text.utf8 {
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 95, 126: result.unicodeScalars.append(Unicode.Scalar(byte))
        case 32: result.append("+")
        default: result += "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
        }
    }
    return result
}

/// Ruby's `CGI.unescape`; nil for a broken escape.
private func formUnescaped(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte == UInt8(ascii: "+") ? 32 : byte)
            continue
        }
        let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        rest = rest.dropFirst(2)
        guard digits.count == 2 else { return nil }
        bytes.append(UInt8(digits[0] << 4 | digits[1]))
    }
    return String(validating: bytes, as: UTF8.self)
}

/// What a parameter names; nil when it is no Base64 of a text.
private func globalID(_ parameter: String) -> String? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for character in parameter.utf8 {
        guard let value = alphabet.firstIndex(of: character) else { return nil }
        bits = (bits << 6 | UInt32(value)) & 0xFFFF
        count += 6
        guard count >= 8 else { continue }
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return String(validating: bytes, as: UTF8.self)
}

/// URL-safe Base64 without padding (RFC 4648 §5).
private func globalIDParameter(_ uri: String) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var result = ""
    var bits: UInt32 = 0
    var count = 0
    for byte in uri.utf8 {
        bits = bits << 8 | UInt32(byte)
        count += 8
        while count >= 6 {
            count -= 6
            result.append(alphabet[Int(bits >> UInt32(count) & 63)])
        }
    }
    if count > 0 { result.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
    return result
}
