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
        let nibbles = text.utf8.compactMap(value)
        guard nibbles.count == text.utf8.count, nibbles.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    /// What a digit of either case stands for; nil for any other byte.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70: digit - 55
        case 97...102: digit - 87
        default: nil
        }
    }
}
