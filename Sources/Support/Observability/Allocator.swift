internal import CLinux

/// The memory of this process.
public enum Allocator {
    /// Returns free memory to the system (malloc_trim(3)): otherwise the allocator keeps it after a crowd has left.
    public static func trim() {
        malloc_trim(0)
    }
}
