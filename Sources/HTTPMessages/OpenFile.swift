internal import Glibc

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
