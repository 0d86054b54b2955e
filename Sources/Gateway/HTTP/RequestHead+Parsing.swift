extension RequestHead {
    /// From the request line to the last header, without the empty line. Nil for what is not plainly HTTP/1.1.
    init?(parsing bytes: ArraySlice<UInt8>) {
        let line = bytes.prefix { $0 != cr }
        guard let method = line.firstIndex(of: space), let version = line.lastIndex(of: space), method < version,
            line[(version + 1)...].elementsEqual("HTTP/1.1".utf8),
            let target = Target(line[(method + 1)..<version])
        else { return nil }
        self.init(
            method: String(decoding: line[..<method], as: UTF8.self),
            path: target.path,
            query: target.query
        )
        var rest = bytes[line.endIndex...]
        while !rest.isEmpty {
            guard rest.count > 2, rest[rest.startIndex + 1] == lf else { return nil }
            let header = rest.dropFirst(2).prefix { $0 != cr }
            // A name with a blank, a line that goes on, two lengths: each has carried one request inside another.
            guard let colon = header.firstIndex(of: UInt8(ascii: ":")), colon > header.startIndex,
                header[..<colon].allSatisfy({ $0 > 32 && $0 < 127 }), !header.contains(lf),
                take(header[..<colon], header[(colon + 1)...])
            else { return nil }
            rest = rest[header.endIndex...]
        }
        guard host != nil else { return nil }
    }

    /// False when the header may not be there twice, or is no text.
    private mutating func take(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Bool {
        guard let header = KnownHeader(name) else { return true }
        guard let text = String(validating: value.trimmed, as: UTF8.self) else { return false }
        switch header {
        case .host: return set(&host, text)
        case .contentLength: return set(&contentLength, text)
        case .authorization: return set(&authorization, text)
        case .stripeSignature, .purchaseKitSignature: return set(&signature, text)
        case .origin: origin = text
        case .ifNoneMatch: ifNoneMatch = text
        case .lastEventID: lastEventID = text
        case .transferEncoding: isChunked = true
        // Any other protocol may be ignored (RFC 9110 §7.8).
        case .upgrade: isUpgrade = text.lowercased() == "websocket"
        case .forwarded, .via, .realIP, .forwardedFor, .forwardedProto, .forwardedHost: isForwarded = true
        case .connection: isLast = text.lowercased() == "close"
        }
        return true
    }

    private func set(_ member: inout String?, _ value: String) -> Bool {
        guard member == nil else { return false }
        member = value
        return true
    }
}

/// The headers that a route looks at.
private enum KnownHeader: String, CaseIterable {
    case host, authorization, origin, connection, upgrade, forwarded, via
    case contentLength = "content-length"
    case ifNoneMatch = "if-none-match"
    case lastEventID = "last-event-id"
    case transferEncoding = "transfer-encoding"
    case realIP = "x-real-ip"
    case forwardedFor = "x-forwarded-for"
    case forwardedProto = "x-forwarded-proto"
    case forwardedHost = "x-forwarded-host"
    case stripeSignature = "stripe-signature"
    case purchaseKitSignature = "x-purchasekit-signature"

    private static let names = allCases.map { (header: $0, bytes: Array($0.rawValue.utf8)) }

    /// Names are the same in capitals (RFC 9110 §5.1).
    init?(_ name: ArraySlice<UInt8>) {
        let known = KnownHeader.names.first { known in
            known.bytes.count == name.count && zip(known.bytes, name).allSatisfy { $0 == $1 | ($1 > 64 ? 32 : 0) }
        }
        guard let known else { return nil }
        self = known.header
    }
}

/// The path and the query of a request line, percent-decoded.
private struct Target {
    let path: String
    let query: Query

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.first == UInt8(ascii: "/"), !bytes.contains(where: { $0 <= 32 || $0 == 127 }) else { return nil }
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        guard let text = PercentEncoding.decode(path), !text.utf8.contains(0), !text.utf8.hasParent else { return nil }
        self.path = text
        let arguments = bytes[path.endIndex...].dropFirst().split(separator: UInt8(ascii: "&"))
        query = Query(arguments.compactMap { PercentEncoding.decode($0) })
    }
}

extension String.UTF8View {
    /// A piece of the path is `..`.
    fileprivate var hasParent: Bool {
        contains(UInt8(ascii: ".")) && split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }
}

extension ArraySlice<UInt8> {
    /// Without the blanks around it.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let start = drop { $0 == space || $0 == 9 }
        let end = start.lastIndex { $0 != space && $0 != 9 } ?? start.startIndex - 1
        return start[..<(end + 1)]
    }
}

private let cr: UInt8 = 13
private let lf: UInt8 = 10
private let space: UInt8 = 32
