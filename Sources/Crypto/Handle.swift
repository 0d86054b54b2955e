internal import Encoding

/// Owns one OpenSSL object and frees it. Every pointer that outlives a call belongs to a handle.
///
/// `@unchecked Sendable`: an object is only read once its handle exists, and OpenSSL 3 lets several threads read one
/// key, certificate or store at the same time
/// (https://docs.openssl.org/3.0/man7/openssl-threads/: reference counts and lazy caches have locks inside).
final class Handle: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let free: @convention(c) (OpaquePointer?) -> Void

    init?(_ pointer: OpaquePointer?, free: @escaping @convention(c) (OpaquePointer?) -> Void) {
        guard let pointer else { return nil }
        self.pointer = pointer
        self.free = free
    }

    deinit {
        free(pointer)
    }

    /// Keeps the object alive while `body` runs; `pointer` alone would not.
    func borrow<Result, Failure>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        return try body(pointer)
    }
}
