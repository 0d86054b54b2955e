/// The request headers that any route, limit or handshake looks at. All others are checked and forgotten.
public enum FieldName: String, CaseIterable, Sendable {
    case host, authorization, origin, connection, upgrade, expect, forwarded, via, range
    case contentLength = "content-length"
    case transferEncoding = "transfer-encoding"
    case ifNoneMatch = "if-none-match"
    case ifRange = "if-range"
    case lastEventID = "last-event-id"
    case realIP = "x-real-ip"
    case forwardedFor = "x-forwarded-for"
    case forwardedProto = "x-forwarded-proto"
    case forwardedHost = "x-forwarded-host"
    case stripeSignature = "stripe-signature"
    case purchaseKitSignature = "x-purchasekit-signature"
    case webSocketKey = "sec-websocket-key"
    case webSocketVersion = "sec-websocket-version"
    case webSocketProtocol = "sec-websocket-protocol"
    /// How AnyCable's native clients name the session to resume.
    case restoredSession = "x-anycable-restore-sid"

    /// Whether several lines mean the same as one comma list (RFC 9110 §5.3). Each of the others may occur once: two
    /// readers that pick different ones have let requests pass that neither would have let pass alone. `If-None-Match` is
    /// a list too, but nginx refuses two lines of it.
    var isList: Bool {
        switch self {
        case .connection, .upgrade, .forwarded, .via, .transferEncoding, .webSocketProtocol, .realIP, .forwardedFor,
            .forwardedProto, .forwardedHost:
            true
        default: false
        }
    }

    private static let byLength: [[(name: FieldName, bytes: [UInt8])]] = {
        var table = [[(name: FieldName, bytes: [UInt8])]](repeating: [], count: 32)
        for name in allCases { table[name.rawValue.utf8.count].append((name, Array(name.rawValue.utf8))) }
        return table
    }()

    /// Names are compared without case (RFC 9110 §5.1). `name` holds token characters only, so that setting bit 5 maps
    /// nothing but capitals onto the letters and the hyphen of the known names.
    init?(_ name: ArraySlice<UInt8>) {
        guard name.count < FieldName.byLength.count else { return nil }
        search: for known in FieldName.byLength[name.count] {
            for index in known.bytes.indices where known.bytes[index] != name[name.startIndex + index] | 0x20 {
                continue search
            }
            self = known.name
            return
        }
        return nil
    }
}
