/// Why a WebSocket ends (RFC 6455 §7.4.1 and the IANA registry).
public enum CloseCode: UInt16, Sendable {
    case normal = 1000
    case protocolError = 1002
    /// A kind of message that is not accepted here.
    case unsupportedData = 1003
    /// A text message that is not valid UTF-8.
    case invalidPayload = 1007
    case policyViolation = 1008
    case messageTooBig = 1009
    case serviceRestart = 1012
    case tryAgainLater = 1013

    /// Whether a client may send this code: the RFC names it, the registry lists it, or it belongs to frameworks and
    /// applications.
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
