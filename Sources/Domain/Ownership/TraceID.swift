/// The id that the app's backend gives to everything that happens because of one tap: 32 hexadecimal digits.
public struct TraceID: Hashable, Sendable, LosslessStringConvertible {
    public let description: String

    /// Nil unless it is 32 lowercase hexadecimal digits that are not all zero.
    public init?(_ description: String) {
        guard TraceID.isIdentifier(Array(description.utf8)[...], count: 32) else { return nil }
        self.description = description
    }

    /// Reads the header of that name. Nil for what is malformed: the specification has it ignored, so that nobody's
    /// purchase fails because of a trace (https://www.w3.org/TR/trace-context/#traceparent-header).
    public init?(traceparent: String) {
        let bytes = Array(traceparent.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == dash }),
            TraceID.isHex(bytes[0..<2]), bytes[0..<2] != [0x66, 0x66], TraceID.isHex(bytes[53..<55]),
            TraceID.isIdentifier(bytes[36..<52], count: 16)
        else { return nil }
        // A later version may have more behind a dash; the first has nothing.
        let isFirst = bytes[0..<2] == [0x30, 0x30]
        guard bytes.count == 55 || !isFirst && bytes[55] == dash else { return nil }
        self.init(String(decoding: bytes[3..<35], as: UTF8.self))
    }

    private static func isHex(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
    }

    private static func isIdentifier(_ bytes: ArraySlice<UInt8>, count: Int) -> Bool {
        bytes.count == count && isHex(bytes) && bytes.contains { $0 != 0x30 }
    }
}
