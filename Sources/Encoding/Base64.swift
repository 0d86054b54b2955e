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

    /// Whether a byte of text stands for six bits.
    public static func hasDigit(_ byte: UInt8) -> Bool { values[Int(byte)] != 255 }

    /// Adds the text of `bytes` to `output`.
    public static func append(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        // Without capacity it would be the empty array that all threads share, and setting its count would write to that.
        guard !bytes.isEmpty else { return }
        output += [UInt8](unsafeUninitializedCapacity: size(of: bytes.count, isPadded: false)) { text, count in
            count = write(bytes.span, alphabet: alphabet, isPadded: false, to: text)
        }
    }

    public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decoded(text.span, table: values) }

    public static func decode(_ text: String) -> [UInt8]? { decoded(text.utf8.span, table: values) }
}

private func encoded(_ bytes: [UInt8], alphabet: [UInt8], isPadded: Bool) -> String {
    String(unsafeUninitializedCapacity: size(of: bytes.count, isPadded: isPadded)) { output in
        write(bytes.span, alphabet: alphabet, isPadded: isPadded, to: output)
    }
}

private func size(of count: Int, isPadded: Bool) -> Int {
    let (groups, tail) = count.quotientAndRemainder(dividingBy: 3)
    return groups * 4 + (tail == 0 ? 0 : isPadded ? 4 : tail + 1)
}

/// Fills `output`, which is large enough, and returns how much of it. Reads through pointers as `decode` does: an index
/// into the alphabet has six bits.
private func write(
    _ bytes: Span<UInt8>,
    alphabet: [UInt8],
    isPadded: Bool,
    to output: UnsafeMutableBufferPointer<UInt8>
) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
        alphabet.withUnsafeBufferPointer { alphabet in
            let (groups, tail) = bytes.count.quotientAndRemainder(dividingBy: 3)
            for group in 0..<groups {
                let start = group * 3
                let bits = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
                output[group * 4] = alphabet[Int(bits >> 18)]
                output[group * 4 + 1] = alphabet[Int(bits >> 12 & 63)]
                output[group * 4 + 2] = alphabet[Int(bits >> 6 & 63)]
                output[group * 4 + 3] = alphabet[Int(bits & 63)]
            }
            guard tail > 0 else { return groups * 4 }
            let bits = UInt32(bytes[groups * 3]) << 16 | (tail == 2 ? UInt32(bytes[groups * 3 + 1]) << 8 : 0)
            output[groups * 4] = alphabet[Int(bits >> 18)]
            output[groups * 4 + 1] = alphabet[Int(bits >> 12 & 63)]
            if tail == 2 { output[groups * 4 + 2] = alphabet[Int(bits >> 6 & 63)] }
            guard isPadded else { return groups * 4 + tail + 1 }
            for padding in (tail + 1)..<4 { output[groups * 4 + padding] = UInt8(ascii: "=") }
            return groups * 4 + 4
        }
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
    guard size > 0 else { return [] }
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
