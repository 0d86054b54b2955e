/// Base64 with the standard alphabet and padding (RFC 4648 §4).
///
/// Decoding is strict, so that one value has one text: no white space, exact padding, and zero bits at the end.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values = decodingTable(alphabet)

    public static func encode(_ bytes: [UInt8]) -> String {
        encoded(bytes, alphabet: alphabet, isPadded: true)
    }

    public static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text.span) }

    public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8.span) }

    private static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var count = text.count
        if count > 0, text[count - 1] == UInt8(ascii: "=") {
            count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1
        }
        return decoded(text.extracting(..<count), table: values)
    }
}

/// Base64 with the URL-safe alphabet (RFC 4648 §5), as in JWS: without padding, which it refuses.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values = decodingTable(alphabet)

    public static func encode(_ bytes: [UInt8]) -> String {
        encoded(bytes, alphabet: alphabet, isPadded: false)
    }

    public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decoded(text.span, table: values) }

    public static func decode(_ text: String) -> [UInt8]? { decoded(text.utf8.span, table: values) }
}

private func encoded(_ bytes: [UInt8], alphabet: [UInt8], isPadded: Bool) -> String {
    let (groups, tail) = bytes.count.quotientAndRemainder(dividingBy: 3)
    let size = groups * 4 + (tail == 0 ? 0 : isPadded ? 4 : tail + 1)
    return String(unsafeUninitializedCapacity: size) { output in
        var used = 0
        for start in stride(from: 0, to: bytes.count, by: 3) {
            var bits = UInt32(bytes[start]) << 16
            if start + 1 < bytes.count { bits |= UInt32(bytes[start + 1]) << 8 }
            if start + 2 < bytes.count { bits |= UInt32(bytes[start + 2]) }
            for shift in stride(from: UInt32(18), through: 0, by: -6) where used < size {
                let isFilled = start * 8 + Int(18 - shift) < bytes.count * 8
                output[used] = isFilled ? alphabet[Int(bits >> shift & 63)] : UInt8(ascii: "=")
                used += 1
            }
        }
        return used
    }
}

/// 255 marks a byte outside the alphabet.
private func decodingTable(_ alphabet: [UInt8]) -> [UInt8] {
    var table = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
    return table
}

/// Decodes `text` without padding. A notification holds 35 KB of it, so the inner loop checks four characters with one
/// branch, and reads through pointers, which are not checked once more: `group` ends with the text, and a character is
/// below 256.
private func decoded(_ text: Span<UInt8>, table: [UInt8]) -> [UInt8]? {
    let (groups, tail) = text.count.quotientAndRemainder(dividingBy: 4)
    guard tail != 1 else { return nil }
    let size = groups * 3 + max(0, tail - 1)
    var isCanonical = true
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { output, initialized in
        text.withUnsafeBufferPointer { text in
            table.withUnsafeBufferPointer { table in
                isCanonical = decode(text, table: table, groups: groups, tail: tail, to: output)
            }
        }
        initialized = size
    }
    return isCanonical ? bytes : nil
}

/// Returns false for a character outside the alphabet, and for bits at the end that are not zero.
private func decode(
    _ text: UnsafeBufferPointer<UInt8>,
    table: UnsafeBufferPointer<UInt8>,
    groups: Int,
    tail: Int,
    to output: UnsafeMutableBufferPointer<UInt8>
) -> Bool {
    var isCanonical = true
    func sextet(_ index: Int) -> UInt32 { UInt32(table[Int(text[index])]) }
    for group in 0..<groups {
        let a = sextet(group * 4)
        let b = sextet(group * 4 + 1)
        let c = sextet(group * 4 + 2)
        let d = sextet(group * 4 + 3)
        if a | b | c | d > 63 { isCanonical = false }
        let bits = a << 18 | b << 12 | c << 6 | d
        output[group * 3] = UInt8(truncatingIfNeeded: bits >> 16)
        output[group * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8)
        output[group * 3 + 2] = UInt8(truncatingIfNeeded: bits)
    }
    guard tail > 0 else { return isCanonical }
    let last = (sextet(groups * 4), sextet(groups * 4 + 1), tail == 3 ? sextet(groups * 4 + 2) : 0)
    let bits = last.0 << 18 | last.1 << 12 | last.2 << 6
    let unused: UInt32 = tail == 2 ? 0xFFFF : 0xFF
    output[groups * 3] = UInt8(truncatingIfNeeded: bits >> 16)
    if tail == 3 { output[groups * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
    return isCanonical && last.0 | last.1 | last.2 <= 63 && bits & unused == 0
}
