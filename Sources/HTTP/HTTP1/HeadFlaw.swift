/// Why a request's head is refused. Safe to print: it contains nothing of the request.
public enum HeadFlaw: Error, Equatable, Sendable, CustomStringConvertible {
    /// The first line is not `METHOD TARGET HTTP/1.1`.
    case requestLine
    /// A version other than 1.0 and 1.1.
    case version
    /// Not an origin-form or absolute-form target, or one with a broken escape, a NUL, or a `..` segment.
    case target
    /// A line without a colon, with an empty name, with white space before its colon, or one that continues another.
    case fieldLine
    /// A control character in a line, or a line that ends with a bare LF or CR.
    case controlCharacter
    /// No `Host`, two of them, or one that names no host.
    case host
    /// A field that may occur once occurs twice.
    case repeatedField
    /// `Content-Length` is not one number of digits.
    case contentLength
    /// The request line is longer than `RequestHead.lineLimit`.
    case targetTooLong
    /// More than `RequestHead.sizeLimit` bytes, or more than `RequestHead.fieldLimit` fields.
    case tooLarge

    /// The status of the answer, after which the connection ends.
    public var status: Int {
        switch self {
        case .targetTooLong: 414
        case .tooLarge: 431
        default: 400
        }
    }

    /// The `error` of the answer's body.
    public var code: String {
        switch self {
        case .targetTooLong: "target_too_long"
        case .tooLarge: "head_too_large"
        case .contentLength: "invalid_content_length"
        default: "malformed_request"
        }
    }

    public var description: String {
        switch self {
        case .requestLine: "This is not an HTTP/1.1 request: it must begin with METHOD TARGET HTTP/1.1."
        case .version: "This server speaks only HTTP/1.1 and HTTP/1.0."
        case .target: "The request's target must be a path or an http address, percent-encoded as UTF-8, without '..'."
        case .fieldLine: "Each header must be one line: a name, a colon without white space before it, and a value."
        case .controlCharacter: "Lines end with CR LF and contain no other control character."
        case .host: "A request names one host in its Host header."
        case .repeatedField: "A header that may be sent once was sent twice."
        case .contentLength: "Content-Length must be a number of bytes, sent once."
        case .targetTooLong: "A request's first line may have at most 8 KiB."
        case .tooLarge: "A request's head may have at most 16 KiB and 100 headers."
        }
    }
}
