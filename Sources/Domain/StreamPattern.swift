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
    public func stream(for user: String) -> StreamName? {
        guard isPlain(user) else { return nil }
        return StreamName(parts.map { render($0, user) }.joined(separator: ":"))
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
