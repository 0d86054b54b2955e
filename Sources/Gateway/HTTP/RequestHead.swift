/// A request's line and the headers that any route looks at.
struct RequestHead {
    enum Header: CaseIterable {
        case host, origin, authorization, contentLength, transferEncoding, ifNoneMatch, accept, lastEventID
    }

    enum BodyLength: Equatable {
        case none, chunked, malformed
        case bytes(Int)
    }

    var method: String
    /// Percent-decoded by lws, `..` resolved; begins with `/`.
    var path: String
    var query: Query
    var headers: [Header: String]
    var isUpgrade: Bool

    /// What is said of the body. More digits than an Int holds are as malformed as a sign.
    var bodyLength: BodyLength {
        if headers[.transferEncoding] != nil { return .chunked }
        guard let text = headers[.contentLength] else { return .none }
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let length = Int(text)
        else { return .malformed }
        return .bytes(length)
    }
}
