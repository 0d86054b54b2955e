/// The key that a client's payload is combined with (RFC 6455 §5.3), applied eight bytes at a time.
struct Mask {
    /// The four bytes twice; the next one to use is the lowest.
    private var pattern: UInt64

    init(_ bytes: some Sequence<UInt8>) {
        let four = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        pattern = four << 32 | four
    }

    /// Unmasks the next part of the payload. The mask continues where this part ends.
    mutating func append(_ piece: Slice<UnsafeRawBufferPointer>, unmaskedTo bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: piece)
        bytes.withUnsafeMutableBytes { buffer in
            var index = start
            while index + 8 <= buffer.count {
                let word = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                buffer.storeBytes(of: (word ^ pattern).littleEndian, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < buffer.count {
                buffer[index] ^= UInt8(truncatingIfNeeded: pattern)
                advance()
                index += 1
            }
        }
    }

    private mutating func advance() { pattern = pattern >> 8 | pattern << 56 }
}
