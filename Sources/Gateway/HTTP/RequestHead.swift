/// A request's line and the headers that any route looks at.
struct RequestHead {
    enum BodyLength: Equatable {
        case none, chunked, malformed
        case bytes(Int)
    }

    var method: String
    /// Percent-decoded by lws, `..` resolved; begins with `/`.
    var path: String
    var query: Query
    var host: String?
    var origin: String?
    var authorization: String?
    var signature: String?
    var contentLength: String?
    var ifNoneMatch: String?
    var lastEventID: String?
    /// `Transfer-Encoding`, whatever it says.
    var isChunked = false
    var isUpgrade = false
    /// Some proxy passed it on. On lws' connections the socket tells.
    var isForwarded = false
    /// `Connection: close`, or a version that knows nothing else.
    var isLast = false

    /// What is said of the body. More digits than an Int holds are as malformed as a sign.
    var bodyLength: BodyLength {
        if isChunked { return .chunked }
        guard let text = contentLength else { return .none }
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let length = Int(text)
        else { return .malformed }
        return .bytes(length)
    }
}
