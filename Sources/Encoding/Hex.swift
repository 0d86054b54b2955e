/// Lower-case hexadecimal text.
public enum Hex {
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: text(bytes), as: UTF8.self)
    }

    /// The text as bytes, for comparisons that need no `String`. Not generic: every connection's name is compared with it,
    /// and looking up a collection's metadata took a tenth of the time of connecting.
    public static func text(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        return [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { text, count in
            count = 2 * bytes.count
            for index in bytes.indices {
                text[2 * index] = digit(bytes[index] >> 4)
                text[2 * index + 1] = digit(bytes[index] & 15)
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Reads both cases. Returns nil for an odd number of digits or any other character.
    public static func decode(_ text: String) -> [UInt8]? {
        let values = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count.isMultiple(of: 2), !values.contains(nil) else { return nil }
        let nibbles = values.compactMap { $0 }.map { UInt8($0) }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}
