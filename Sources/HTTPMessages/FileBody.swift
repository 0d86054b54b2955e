/// The body of an answer that is not held in memory.
public struct FileBody: Sendable {
    private let file: OpenFile
    /// The part that is still to be sent.
    public var range: Range<Int>

    /// Bytes that are read ahead of what the peer has taken.
    public static let pieceSize = 64 << 10

    public init(file: OpenFile, range: Range<Int>) {
        self.file = file
        self.range = range
    }

    /// The next piece; nil when the file has become shorter than it was.
    public mutating func next() -> [UInt8]? {
        let wanted = min(range.count, FileBody.pieceSize)
        let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            count = file.read(at: range.lowerBound, into: UnsafeMutableRawBufferPointer(buffer))
        }
        guard !piece.isEmpty else { return nil }
        range = (range.lowerBound + piece.count)..<range.upperBound
        return piece
    }
}
