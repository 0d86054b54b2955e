/// The offset of the first `byte` at or after `start`, or the count of `bytes` if it is not found.
public func offset(of byte: UInt8, in bytes: Span<UInt8>, from start: Int = 0) -> Int {
    offset(in: bytes, from: start) { highBitsOfZeroes($0 ^ everyByte(byte)) }
}

/// Where `mark` stands first in `text`, compared as bytes; nil if it does not.
public func range(of mark: StaticString, in text: Substring) -> Range<Substring.Index>? {
    let (bytes, count) = (text.utf8.span, mark.utf8CodeUnitCount)
    let start = mark.utf8Start
    var found = offset(of: start[0], in: bytes)
    while found + count <= bytes.count {
        if (1..<count).allSatisfy({ bytes[found + $0] == start[$0] }) {
            let index = text.utf8.index(text.startIndex, offsetBy: found)
            return index..<text.utf8.index(index, offsetBy: count)
        }
        found = offset(of: start[0], in: bytes, from: found + 1)
    }
    return nil
}

/// The offset of the first byte at or after `start` that ends or interrupts a JSON string: a quote, a backslash or a
/// control character (RFC 8259 §7). Without one, the count of `bytes`.
public func offsetOfStringEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
    offset(in: bytes, from: start) { word in
        highBitsOfZeroes(word ^ everyByte(UInt8(ascii: "\""))) | highBitsOfZeroes(word ^ everyByte(UInt8(ascii: "\\")))
            | (word &- everyByte(32)) & ~word & everyByte(0x80)
    }
}

/// The offset of the first ASCII control character at or after `start`, tabs included, or the count of `bytes`.
public func offsetOfControl(in bytes: Span<UInt8>, from start: Int) -> Int {
    offset(in: bytes, from: start) { word in
        highBitsOfZeroes(word ^ everyByte(127)) | (word &- everyByte(32)) & ~word & everyByte(0x80)
    }
}

/// `found` sets the high bit of each byte that is looked for; only the lowest one counts.
///
/// Compares eight bytes at a time (https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord).
@inline(__always)
private func offset(in bytes: Span<UInt8>, from start: Int, found: (UInt64) -> UInt64) -> Int {
    let raw = bytes.bytes
    var offset = start
    while offset + 8 <= raw.byteCount {
        let special = found(raw.word(at: offset))
        guard special == 0 else { return offset + special.trailingZeroBitCount / 8 }
        offset += 8
    }
    var (rest, index) = (UInt64(0), bytes.count)
    while index > offset {
        index -= 1
        rest = rest << 8 | UInt64(bytes[index])
    }
    // What is found in the zeros after the last byte is the end.
    return min(offset + found(rest).trailingZeroBitCount / 8, bytes.count)
}

extension RawSpan {
    /// Eight bytes, the first one as the lowest.
    fileprivate func word(at offset: Int) -> UInt64 {
        unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
    }
}

private func everyByte(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 * UInt64(byte) }

/// Only the lowest set bit is reliable: a borrow may set others above it.
private func highBitsOfZeroes(_ word: UInt64) -> UInt64 { (word &- everyByte(1)) & ~word & everyByte(0x80) }
