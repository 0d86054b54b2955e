/// Counts a client's requests for an answer of PostgreSQL: each Sync and Flush ends a pipeline, each Query stands by itself.
///
/// Source: https://www.postgresql.org/docs/15/protocol-message-formats.html
struct RequestCounter {
    private(set) var count = 0
    private var header: [UInt8] = []
    /// Bytes of the present message that are still to come.
    private var left = 0
    /// Until the start-up message, messages have a length and a code, and no type.
    private var hasStarted = false

    mutating func startConnection() {
        header = []
        left = 0
        hasStarted = false
    }

    mutating func read(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let byte = rest.first {
            if left > 0 {
                let skipped = min(left, rest.count)
                left -= skipped
                rest = rest.dropFirst(skipped)
                continue
            }
            header.append(byte)
            rest = rest.dropFirst()
            if header.count == (hasStarted ? 5 : 8) { readHeader() }
        }
    }

    private mutating func readHeader() {
        let length = { (bytes: ArraySlice<UInt8>) in bytes.reduce(0) { $0 << 8 | Int($1) } }
        if hasStarted {
            if [UInt8(ascii: "S"), UInt8(ascii: "H"), UInt8(ascii: "Q")].contains(header[0]) { count += 1 }
            left = length(header[1...]) - 4
        } else {
            // 3.0; SSLRequest and GSSENCRequest come before it.
            hasStarted = length(header[4...]) == 3 << 16
            left = length(header[..<4]) - 8
        }
        header = []
    }
}
