import Encoding

/// How a user's stream is named: `PAYCAST_STREAM_NAME`, default `user:{user}:paywall`.
///
/// A `gid://…` part becomes a GlobalID parameter, so that `gid://shop/User/{user}:paywall` names what
/// `turbo_stream_from Current.user, :paywall` means in the Rails app `shop`
/// (https://github.com/rails/globalid: URL-safe Base64 of the URI, without padding; the id is CGI-escaped).
public struct StreamPattern: Sendable, Hashable {
    public static let standard = StreamPattern(parts: ["user", "{user}", "paywall"])

    /// The text around the user, or around the parameter that holds the user.
    private let before, after: String
    /// The URI around the user, if a GlobalID's parameter holds the user.
    private let uri: [String]?

    /// One of the parts has `{user}`, once.
    private init(parts: [String]) {
        let marked = parts.firstIndex { $0.pieces(around: "{user}").count == 2 } ?? 0
        let isGlobalID = GlobalIDSpelling.isMeant(parts[marked])
        let rendered = parts.map { GlobalIDSpelling.isMeant($0) ? Base64URL.encode(Array($0.utf8)) : $0 }
        let pieces = parts[marked].pieces(around: "{user}")
        uri = isGlobalID ? pieces : nil
        before = rendered[..<marked].map { $0 + ":" }.joined() + (isGlobalID ? "" : pieces[0])
        after = (isGlobalID ? "" : pieces[1]) + rendered[(marked + 1)...].map { ":" + $0 }.joined()
    }

    /// Refuses a pattern that cannot name streams, and one with a GlobalID that no Rails app would sign: the page's
    /// stream and the user's would never match, and nobody would notice.
    public init(checking text: String) throws(StreamPatternFlaw) {
        guard isValidIdentifier(text, limit: 200) else { throw .notPrintable }
        let mentions = text.pieces(around: "{user}").count - 1
        guard mentions == 1 else { throw .userMentioned(times: mentions) }
        let parts = StreamPattern.parts(of: text)
        guard parts.contains(where: { GlobalIDSpelling.isMeant($0) }) else {
            self.init(parts: parts)
            return
        }
        // Rails leaves out the empty parts of a name.
        let right = parts.filter { !$0.isEmpty }.map { GlobalIDSpelling.isMeant($0) ? GlobalIDSpelling.right($0) : $0 }
        let rightText = right.compactMap { $0 }.joined(separator: ":")
        guard right.allSatisfy({ $0 != nil }) else { throw .globalID(right: nil) }
        guard rightText.hasSameBytes(as: text) else { throw .globalID(right: rightText) }
        self.init(parts: parts)
    }

    /// Splits the text at colons. A GlobalID stays in one piece, with the colons of its scheme and its model
    /// (`Admin::User`).
    private static func parts(of text: String) -> [String] {
        var parts: [String] = []
        var pieces = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)[...]
        while var part = pieces.popFirst() {
            if part.asciiLowercased == "gid", let rest = pieces.first, rest.hasPrefix("/") {
                part += ":" + pieces.removeFirst()
                while GlobalIDSpelling.lacksID(part), pieces.count > 1, pieces.first == "" {
                    pieces.removeFirst()
                    part += "::" + pieces.removeFirst()
                }
            }
            parts.append(part)
        }
        return parts
    }

    /// The stream of `user`; nil when the user id cannot be in a stream name.
    public func stream(for user: UserID) -> StreamName? {
        guard isValidIdentifier(user.text) else { return nil }
        guard let uri else { return StreamName(before + user.text + after) }
        let own = uri.joined(separator: PercentEncoding.encode(user.text, spaceIsPlus: true))
        return StreamName(before + Base64URL.encode(Array(own.utf8)) + after)
    }

    /// The user whose stream it is; nil for a stream that belongs to no user.
    public func user(of stream: StreamName) -> UserID? {
        guard let rendered = stream.text.text(between: before, and: after),
            let user = user(in: rendered).map({ UserID($0) }),
            // A parameter has several spellings; only ours names the user's stream.
            let own = self.stream(for: user), own == stream
        else { return nil }
        return user
    }

    private func user(in rendered: String) -> String? {
        guard let uri else { return rendered }
        return Base64URL.decode(rendered).flatMap { String(validating: $0, as: UTF8.self) }?
            .text(between: uri[0], and: uri[1]).flatMap { PercentEncoding.decode($0, plusIsSpace: true) }
    }
}

extension String {
    func pieces(around separator: String) -> [String] {
        var pieces: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            pieces.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return pieces + [String(rest)]
    }

    /// The text between `start` and `end`, compared byte by byte; nil unless the text begins with the one and ends with
    /// the other.
    fileprivate func text(between start: String, and end: String) -> String? {
        guard utf8.count >= start.utf8.count + end.utf8.count, utf8.starts(with: start.utf8),
            utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
        else { return nil }
        return String(utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count))
    }
}

/// Why a pattern is refused.
public enum StreamPatternFlaw: Error, Equatable, CustomStringConvertible {
    case notPrintable
    case userMentioned(times: Int)
    /// `right` is how Rails would write the whole pattern; nil when that cannot be determined.
    case globalID(right: String?)

    public var description: String {
        switch self {
        case .notPrintable: "must be 1 to 200 bytes without control characters"
        case .userMentioned: "must contain {user} exactly once, as in user:{user}:paywall"
        case .globalID(let right?): "names streams that Rails never does; its spelling is \(right)"
        case .globalID(nil):
            "names streams that Rails never does; write gid://APP/MODEL/{user}, as User.first.to_gid in the app's console "
                + "prints it, with {user} for the id"
        }
    }
}

extension StreamPattern {
    /// Fills in the user's locale in the fragments of a user's stream; every other stream has none. Asks once for
    /// consecutive fragments of one stream.
    public func written<Failure: Error>(
        _ fragments: [Fragment],
        naming catalog: Catalog,
        locale: (UserID) throws(Failure) -> UserLocale
    ) throws(Failure) -> [Fragment] {
        var written = fragments
        var asked: (stream: StreamName, locale: UserLocale)?
        for index in written.indices where written[index].hasNoLanguage {
            let stream = written[index].stream
            if asked?.stream != stream {
                let user = user(of: stream)
                asked = (stream, try user.map { user throws(Failure) in try locale(user) } ?? .unknown)
            }
            written[index] = written[index].written(in: asked?.locale ?? .unknown, naming: catalog)
        }
        return written
    }
}
