internal import Glibc

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

/// An open file that is sent in pieces, and closed when its last owner releases it. Sendable: the kernel lets any
/// thread read it, and `pread` has no position that two threads could share.
public final class OpenFile: Sendable {
    private let descriptor: Int32

    /// Takes over `descriptor`.
    public init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Returns how many bytes were read: 0 at the end of the file, or when it cannot be read.
    public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        max(0, pread(descriptor, buffer.baseAddress, buffer.count, offset))
    }
}
