/// Bytes that a connection has received and nobody has read: heads and bodies in the order in which they were sent.
///
/// Its owner bounds it: while a request is being answered, the owner stops reading once `count` exceeds its limit.
public struct RequestBuffer: Sendable {
    private var bytes: [UInt8] = []
    /// Everything before this index has been read.
    private var start = 0
    /// No head ends before this index.
    private var scanned = 0
    /// The whole lines before this index have been checked as lines of a head.
    private var checked = 0
    /// Whether an empty line has been skipped since the last request.
    private var hasSkippedLine = false

    /// How many bytes that were read may stay here, so that a small request does not move the bytes behind it.
    private static let readLimit = 64 << 10
    /// An idle connection keeps no more memory than this.
    private static let idleCapacity = 1 << 10

    public init() {}

    /// Bytes received and not yet read.
    public var count: Int { bytes.count - start }

    public var isEmpty: Bool { start == bytes.count }

    /// Bytes of memory that it holds, read or not.
    public var capacity: Int { bytes.capacity }

    public mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > RequestBuffer.readLimit { compact() }
        // As `UInt8`: from a raw buffer the standard library copies byte by byte, through a witness for each.
        bytes.append(contentsOf: more.assumingMemoryBound(to: UInt8.self))
    }

    /// Takes the next head once it is complete. Nil: more bytes are needed, and those that came may still begin a head.
    public mutating func takeHead() throws(HeadFlaw) -> RequestHead? {
        guard let end = try findEnd() else { return nil }
        let head = try RequestHead(parsing: bytes[start..<end])
        skip(to: end)
        release()
        return head
    }

    /// Takes `length` bytes once they have arrived.
    public mutating func takeBody(_ length: Int) -> [UInt8]? {
        guard count >= length else { return nil }
        let body = Array(bytes[start..<(start + length)])
        skip(to: start + length)
        release()
        return body
    }

    /// Takes everything that has been received and not read.
    public mutating func takeAll() -> [UInt8] { takeBody(count) ?? [] }

    /// Returns the offset after the empty line, or nil if it has not arrived. Throws as soon as the bytes can no longer
    /// become a head, so that the sender does not wait for a deadline.
    private mutating func findEnd() throws(HeadFlaw) -> Int? {
        skipEmptyLine()
        if let first = bytes[start...].first {
            guard isTokenByte(first) || first == carriageReturn && !hasSkippedLine else { throw .requestLine }
        }
        guard let end = emptyLineEnd else {
            try checkBytes()
            try checkLines()
            guard count <= RequestHead.sizeLimit else { throw .tooLarge }
            return nil
        }
        guard end - start <= RequestHead.sizeLimit else { throw .tooLarge }
        return end
    }

    /// Looks at every fourth byte only: the four bytes that end a head are all CR or LF.
    private var emptyLineEnd: Int? {
        let bytes = bytes.span
        var index = max(start, scanned - 3) + 3
        while index < bytes.count {
            switch bytes[index] {
            case lineFeed:
                if bytes[index - 1] == carriageReturn, bytes[index - 2] == lineFeed, bytes[index - 3] == carriageReturn
                {
                    return index + 1
                }
                index += 2
            case carriageReturn: index += 1
            default: index += 4
            }
        }
        return nil
    }

    private func checkBytes() throws(HeadFlaw) {
        let bytes = bytes.span
        var previous = scanned > start ? bytes[scanned - 1] : 0
        for index in scanned..<bytes.count {
            let byte = bytes[index]
            guard (previous == carriageReturn) == (byte == lineFeed) else { throw .controlCharacter }
            guard isFieldByte(byte) || byte == lineFeed || byte == carriageReturn else { throw .controlCharacter }
            previous = byte
        }
    }

    /// Checks the complete lines of a head that is still incomplete.
    private mutating func checkLines() throws(HeadFlaw) {
        while let end = bytes[scanned...].firstIndex(of: lineFeed) {
            let line = checked..<(end - 1)
            if checked == start {
                _ = try RequestLine(bytes, in: line)
            } else {
                _ = try RequestHead.Field(bytes.span, in: line)
            }
            scanned = end + 1
            checked = scanned
        }
        scanned = bytes.count
        guard checked > start || count <= RequestHead.lineLimit + 1 else { throw .targetTooLong }
    }

    /// One empty line before a request is allowed (RFC 9112 §2.2).
    private mutating func skipEmptyLine() {
        guard !hasSkippedLine, count >= 2, bytes[start] == carriageReturn, bytes[start + 1] == lineFeed else { return }
        skip(to: start + 2)
        hasSkippedLine = true
    }

    private mutating func skip(to index: Int) {
        start = index
        scanned = index
        checked = index
    }

    private mutating func compact() {
        bytes.removeSubrange(..<start)
        scanned -= start
        checked -= start
        start = 0
    }

    private mutating func release() {
        hasSkippedLine = false
        guard isEmpty else { return giveBack() }
        if bytes.capacity > RequestBuffer.idleCapacity { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
        skip(to: 0)
    }

    /// Gives back what a long body needed, rather than keep it for the start of a head that may never be completed.
    private mutating func giveBack() {
        guard bytes.capacity > RequestBuffer.readLimit, count < bytes.capacity / 4 else { return }
        bytes = Array(bytes[start...])
        skip(to: 0)
    }
}
