internal import CLinux

/// The memory that this process has been given.
public enum Memory {
    /// Gives back what is free (malloc_trim(3)): after a crowd has left, the allocator would keep its memory for another.
    public static func release() {
        malloc_trim(0)
    }
}
