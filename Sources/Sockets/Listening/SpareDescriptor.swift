internal import Glibc

/// A descriptor held back for when there are no others: given up for a moment, it lets a connection be accepted and
/// dropped, which would otherwise wake the loop forever. Confined to one thread.
final class SpareDescriptor {
    private var descriptor = SpareDescriptor.open()

    deinit {
        release()
    }

    /// Runs `body` while the descriptor is free. Another thread may be faster to take it.
    func lend<Value>(_ body: () -> Value) -> Value {
        release()
        defer { descriptor = SpareDescriptor.open() }
        return body()
    }

    /// Tries again when there was no descriptor to hold back.
    func reopen() {
        if descriptor < 0 { descriptor = SpareDescriptor.open() }
    }

    private func release() {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func open() -> Int32 { Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
