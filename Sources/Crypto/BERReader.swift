/// Reads the elements of one level of BER (X.690), as tolerantly as OpenSSL: Xcode's receipts have indefinite lengths.
///
/// It never reads past the given bytes or deeper than 16 levels.
public struct BERReader {
    public struct Element {
        /// One of `BERTag`, or another.
        public var tag: UInt8
        public var content: ArraySlice<UInt8>
        fileprivate var depth: Int

        /// The elements inside a constructed element.
        public var elements: BERReader { BERReader(content, depth: depth + 1) }
    }

    public struct Malformed: Error {
        public init() {}
    }

    private static let depthLimit = 16

    private var rest: ArraySlice<UInt8>
    private let depth: Int

    public init(_ bytes: ArraySlice<UInt8>) { self.init(bytes, depth: 0) }

    private init(_ bytes: ArraySlice<UInt8>, depth: Int) {
        rest = bytes
        self.depth = depth
    }

    /// Returns nil at the end.
    public mutating func next() throws(Malformed) -> Element? {
        guard let tag = rest.popFirst() else { return nil }
        guard tag & 0x1F != 0x1F, depth < BERReader.depthLimit, let length = rest.popFirst() else { throw Malformed() }
        if length == 0x80 { return try indefinite(tag) }
        let count = try count(length)
        guard count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Element(tag: tag, content: rest.prefix(count), depth: depth)
    }

    /// The next element, which must exist and have this tag.
    public mutating func next(_ tag: UInt8) throws(Malformed) -> Element {
        guard let element = try next(), element.tag == tag else { throw Malformed() }
        return element
    }

    public var isAtEnd: Bool { rest.isEmpty }

    /// Ends at two zero bytes that are not inside another element.
    private mutating func indefinite(_ tag: UInt8) throws(Malformed) -> Element {
        guard tag & BERTag.constructed != 0 else { throw Malformed() }
        var inner = BERReader(rest, depth: depth + 1)
        while !inner.rest.starts(with: [0, 0]) {
            guard try inner.next() != nil else { throw Malformed() }
        }
        let content = rest[rest.startIndex..<inner.rest.startIndex]
        rest = inner.rest.dropFirst(2)
        return Element(tag: tag, content: content, depth: depth)
    }

    private mutating func count(_ first: UInt8) throws(Malformed) -> Int {
        guard first > 0x80 else { return Int(first) }
        let digits = rest.prefix(Int(first & 0x7F))
        // Four length bytes are enough for any body.
        guard (1...4).contains(Int(first & 0x7F)), digits.count == Int(first & 0x7F) else { throw Malformed() }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The universal tags that receipts use.
public enum BERTag {
    public static let integer: UInt8 = 0x02
    public static let octets: UInt8 = 0x04
    public static let utf8: UInt8 = 0x0C
    public static let ia5: UInt8 = 0x16
    public static let sequence: UInt8 = 0x30
    public static let set: UInt8 = 0x31
    static let constructed: UInt8 = 0x20
}

extension BERReader.Element {
    /// The bytes of an OCTET STRING, which may be split into pieces.
    public func octets() throws(BERReader.Malformed) -> [UInt8] {
        switch tag {
        case BERTag.octets: return Array(content)
        case BERTag.octets | BERTag.constructed:
            var (bytes, pieces): ([UInt8], BERReader) = ([], elements)
            while let piece = try pieces.next() { bytes += try piece.octets() }
            return bytes
        default: throw BERReader.Malformed()
        }
    }

    /// Nil unless it is an INTEGER of at most 64 bits.
    public var integer: Int64? {
        guard tag == BERTag.integer, let first = content.first, content.count <= 8 else { return nil }
        return content.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
    }

    /// Nil unless it is a string.
    public var text: String? {
        tag == BERTag.utf8 || tag == BERTag.ia5 ? String(validating: content, as: UTF8.self) : nil
    }
}

/// Writes the few elements that keys and signatures need.
enum DER {
    static func sequence(_ content: [UInt8]) -> [UInt8] { [BERTag.sequence] + length(content.count) + content }

    /// Without leading zeros, except for one that keeps the number positive.
    static func integer(_ magnitude: ArraySlice<UInt8>) -> [UInt8] {
        let digits = magnitude.drop { $0 == 0 }
        let content = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits)
        return [BERTag.integer] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        switch count {
        case ..<0x80: [UInt8(count)]
        case ..<0x100: [0x81, UInt8(count)]
        default: [0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        }
    }
}
