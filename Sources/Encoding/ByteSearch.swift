/// The offset of the first `byte` at or after `start`, or the count of `bytes` if it is not found.
///
/// Compares eight bytes at a time (https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord).
public func offset(of byte: UInt8, in bytes: Span<UInt8>, from start: Int = 0) -> Int {
    let raw = bytes.bytes
    let pattern = everyByte(byte)
    var offset = start
    while offset + 8 <= raw.byteCount {
        let zeroes = highBitsOfZeroes(raw.word(at: offset) ^ pattern)
        guard zeroes == 0 else { return offset + zeroes.trailingZeroBitCount / 8 }
        offset += 8
    }
    while offset < bytes.count, bytes[offset] != byte { offset += 1 }
    return offset
}

/// The offset of the first byte at or after `start` that ends or interrupts a JSON string: a quote, a backslash or a
/// control character (RFC 8259 §7). Without one, the count of `bytes`.
public func offsetOfStringEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
    let raw = bytes.bytes
    let quote = UInt8(ascii: "\"")
    let backslash = UInt8(ascii: "\\")
    var offset = start
    while offset + 8 <= raw.byteCount {
        let word = raw.word(at: offset)
        let special =
            highBitsOfZeroes(word ^ everyByte(quote)) | highBitsOfZeroes(word ^ everyByte(backslash))
            | (word &- everyByte(32)) & ~word & everyByte(0x80)
        guard special == 0 else { return offset + special.trailingZeroBitCount / 8 }
        offset += 8
    }
    while offset < bytes.count, bytes[offset] >= 32, bytes[offset] != quote, bytes[offset] != backslash { offset += 1 }
    return offset
}

/// The offset of the first ASCII control character at or after `start`, tabs included, or the count of `bytes`.
public func offsetOfControl(in bytes: Span<UInt8>, from start: Int) -> Int {
    let raw = bytes.bytes
    var offset = start
    while offset + 8 <= raw.byteCount {
        let word = raw.word(at: offset)
        let special = highBitsOfZeroes(word ^ everyByte(127)) | (word &- everyByte(32)) & ~word & everyByte(0x80)
        guard special == 0 else { return offset + special.trailingZeroBitCount / 8 }
        offset += 8
    }
    while offset < bytes.count, bytes[offset] >= 32, bytes[offset] != 127 { offset += 1 }
    return offset
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
