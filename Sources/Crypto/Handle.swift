internal import Encoding

/// One OpenSSL object and the function that frees it: the owner of every pointer that outlives a call.
///
/// Sendable by this promise: an object is only read once its handle exists, and OpenSSL 3 lets several threads read one
/// key, certificate or store at the same time
/// (https://docs.openssl.org/3.0/man7/openssl-threads/: reference counts and lazy caches are locked inside).
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

    /// The pointer lives as long as `body` runs, which `pointer` alone would not promise.
    func borrow<Result, Failure>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        return try body(pointer)
    }
}
