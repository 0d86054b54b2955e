import Domain
import Glibc

/// How the ledger keeps the body of an event or a fragment: as what it says where that gives the same bytes again, and
/// otherwise as it came.
///
/// | first byte | the rest |
/// |---|---|
/// | any other | the body as it came, this byte included |
/// | 1 | the body as it came |
/// | 2 | the body, compressed |
/// | 3 | the parts of a body with signed documents in it (`SignedParts`), compressed |
///
/// Hardly any body begins with such a byte, so one that is kept as it came is its own bytes. Nothing at all is a body that
/// was emptied.
struct StoredBody: Equatable, Sendable {
    var bytes: [UInt8]
    /// The header that is in a table of its own, once for all bodies; nil when this one has none of it.
    var header: [UInt8]?

    /// What a query of `events` reads for `Row.body`.
    static let columns = "body, (SELECT text FROM headers WHERE digest = header)"

    /// Far above what the server accepts (256 KiB). What would be larger than this is kept as it came.
    static let limit = 1 << 20
    /// Below this, nothing is saved.
    private static let smallest = 64

    private enum Form {
        static let plain: UInt8 = 1
        static let compressed: UInt8 = 2
        static let parts: UInt8 = 3
    }

    /// As it is stored.
    init(bytes: [UInt8], header: [UInt8]?) {
        self.bytes = bytes
        self.header = header
    }

    /// `header` is the header of signed documents that other bodies have too, as in the document: Base64.
    init(_ body: [UInt8], sharing header: [UInt8]? = nil) {
        let parts = StoredBody.packs(body) ? StoredBody(partsOf: body, sharing: header) : nil
        self = parts ?? StoredBody(compressing: body)
    }

    /// For what has no signed documents in it.
    init(compressing body: [UInt8]) {
        let packed = StoredBody.packs(body) ? StoredBody(Form.compressed, body, of: body) : nil
        self = packed ?? StoredBody(asItCame: body)
    }

    private static func packs(_ body: [UInt8]) -> Bool { (smallest...limit).contains(body.count) }

    private init(asItCame body: [UInt8]) {
        let isItsOwnForm = body.first.map { (Form.plain...Form.parts).contains($0) } ?? false
        self.init(bytes: isItsOwnForm ? [Form.plain] + body : body, header: nil)
    }

    /// Nil when that saves nothing.
    private init?(_ form: UInt8, _ content: [UInt8], of body: [UInt8], header: [UInt8]? = nil) {
        guard let packed = Zstandard.compress(content), packed.count + 1 < body.count else { return nil }
        self.init(bytes: [form] + packed, header: header)
    }

    /// Nil without signed documents, and when putting together what was taken apart would not give the same bytes.
    private init?(partsOf body: [UInt8], sharing header: [UInt8]?) {
        guard let (parts, usesHeader) = SignedParts.take(body, sharing: header), parts.count <= StoredBody.limit,
            let joined = try? SignedParts.join(parts, header: header, limit: body.count),
            joined.count == body.count, memcmp(joined, body, body.count) == 0
        else { return nil }
        self.init(Form.parts, parts, of: body, header: usesHeader ? header : nil)
    }

    /// The body as it came, to the last byte.
    func body() throws(UnreadableBody) -> [UInt8] {
        switch bytes.first {
        case Form.plain: return Array(bytes.dropFirst())
        case Form.compressed: return try content()
        case Form.parts: return try SignedParts.join(try content(), header: header, limit: StoredBody.limit)
        default: return bytes
        }
    }

    private func content() throws(UnreadableBody) -> [UInt8] {
        guard let content = Zstandard.decompress(bytes.dropFirst(), limit: StoredBody.limit) else {
            throw .damagedFrame
        }
        return content
    }
}

/// Why stored bytes give no body. None of it happens to what this program has stored.
enum UnreadableBody: Error, Equatable {
    /// What was compressed cannot be read, or would be too large.
    case damagedFrame
    /// The parts end early, have an unknown kind, or lie too deep.
    case damagedParts
    /// The header that they share is not in the ledger.
    case missingHeader
    /// Put together, they would be larger than any body.
    case tooLarge
}

extension Event {
    /// The event with its body and its header as they are stored. Called before it reaches the writer, on the thread that
    /// has verified it.
    func packed() -> Event {
        guard !body.isEmpty else { return self }
        let stored = StoredBody(body, sharing: header)
        var event = self
        event.body = stored.bytes
        event.header = stored.header
        return event
    }
}
