/// Lower-case hexadecimal text.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: text(bytes), as: UTF8.self)
    }

    /// The text as bytes, for comparisons that need no `String`.
    public static func text(_ bytes: some Collection<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { text, count in
            count = 2 * bytes.count
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digits[Int(byte >> 4)]
                text[2 * index + 1] = digits[Int(byte & 15)]
            }
        }
    }

    /// Reads both cases. Returns nil for an odd number of digits or any other character.
    public static func decode(_ text: String) -> [UInt8]? {
        let values = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count.isMultiple(of: 2), !values.contains(nil) else { return nil }
        let nibbles = values.compactMap { $0 }.map { UInt8($0) }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}
