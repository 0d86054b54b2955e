/// The request headers that any route, limit or handshake reads. Others are checked, and found by name if a store asks.
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
    case traceparent
    // Listed so that a second one is refused. With two of any other store's, `RequestHead.field` finds none.
    case stripeSignature = "stripe-signature"
    case purchaseKitSignature = "x-purchasekit-signature"
    case idempotencyKey = "idempotency-key"
    case fetchSite = "sec-fetch-site"
    case webSocketKey = "sec-websocket-key"
    case webSocketVersion = "sec-websocket-version"
    case webSocketProtocol = "sec-websocket-protocol"
    /// How AnyCable's native clients name the session to resume.
    case restoredSession = "x-anycable-restore-sid"

    /// Whether several lines mean the same as one comma list (RFC 9110 §5.3). Each of the others may occur only once:
    /// when two readers picked different lines, requests have passed that either reader alone would have stopped.
    /// `If-None-Match` is a list too, but nginx refuses two lines of it.
    var isList: Bool {
        switch self {
        case .connection, .upgrade, .forwarded, .via, .transferEncoding, .webSocketProtocol, .realIP, .forwardedFor,
            .forwardedProto, .forwardedHost:
            true
        // Two name no trace, and are no reason to refuse a request (https://www.w3.org/TR/trace-context/).
        case .traceparent: true
        default: false
        }
    }

    /// The names, grouped by length in flat arrays, so that a lookup touches no object for each name.
    private static let known = Known()

    private struct Known {
        var names: [FieldName] = []
        var letters: [UInt8] = []
        /// For each length, where its names begin in both arrays. They end where those of the next length begin.
        var starts = [(name: 0, letter: 0)]

        init() {
            for length in 0..<32 {
                for name in FieldName.allCases where name.rawValue.utf8.count == length {
                    names.append(name)
                    letters += name.rawValue.utf8
                }
                starts.append((names.count, letters.count))
            }
        }
    }

    /// Names are compared without regard to case (RFC 9110 §5.1). `name` holds token characters only, so setting bit 5
    /// maps only capitals onto the letters and the hyphen of the known names.
    init?(_ bytes: Span<UInt8>, in name: Range<Int>) {
        let known = FieldName.known
        guard name.count < known.starts.count - 1 else { return nil }
        var letter = known.starts[name.count].letter
        for index in known.starts[name.count].name..<known.starts[name.count + 1].name {
            var length = 0
            while length < name.count, bytes[name.lowerBound + length] | 0x20 == known.letters[letter + length] {
                length += 1
            }
            if length == name.count {
                self = known.names[index]
                return
            }
            letter += name.count
        }
        return nil
    }
}
