/// Writes pieces of text one after another into memory that is reserved for all of them: appending each to an array
/// would cost that array's checks every time. Writing more than fits traps.
public struct TextWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    public private(set) var count = 0

    public init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    public mutating func write(_ text: StaticString) {
        write(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    public mutating func write(_ text: String) {
        text.utf8Span.span.withUnsafeBufferPointer { write($0) }
    }

    public mutating func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { write($0) }
    }

    /// Writes decimal digits.
    public mutating func write(_ number: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number.magnitude
            var first = digits.count
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 { write("-" as StaticString) }
            write(UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    private mutating func write(_ piece: UnsafeBufferPointer<UInt8>) {
        precondition(piece.count <= buffer.count - count)
        guard let source = piece.baseAddress, let target = buffer.baseAddress else { return }
        (target + count).update(from: source, count: piece.count)
        count += piece.count
    }
}
