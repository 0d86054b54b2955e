import Glibc

/// Finds the send times that publishers put into fragments: `ts=` and 19 digits, regardless of the framing around them.
enum SendTimeMarker {
    private static let length = 22

    static func text(at time: UInt64) -> String {
        let digits = String(time)
        return "ts=" + String(repeating: "0", count: 19 - digits.utf8.count) + digits
    }

    /// Calls `found` with each send time, and returns a possible beginning of a marker for the next read.
    static func scan(_ bytes: UnsafeRawBufferPointer, found: (UInt64) -> Void) -> [UInt8] {
        var start = 0
        while start < bytes.count, let base = bytes.baseAddress,
            let hit = memchr(base + start, Int32(UInt8(ascii: "=")), bytes.count - start)
        {
            let equals = UnsafeRawPointer(hit) - base
            start = equals + 1
            guard equals >= 2, bytes[equals - 1] == UInt8(ascii: "s"), bytes[equals - 2] == UInt8(ascii: "t") else {
                continue
            }
            guard bytes.count - equals + 2 >= length else { return Array(bytes[(equals - 2)...]) }
            if let time = number(bytes[(equals + 1)..<(equals + 20)]) { found(time) }
        }
        return beginning(at: bytes)
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            value = value &* 10 &+ UInt64(digit - 48)
        }
        return value
    }

    private static func beginning(at bytes: UnsafeRawBufferPointer) -> [UInt8] {
        if bytes.last == UInt8(ascii: "t") { return [UInt8(ascii: "t")] }
        return bytes.suffix(2).elementsEqual("ts".utf8) ? Array("ts".utf8) : []
    }
}
