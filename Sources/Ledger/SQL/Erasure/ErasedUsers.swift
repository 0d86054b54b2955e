public import Domain

/// Erased users, of whom only tombstones are left.
public struct ErasedUsers: Sendable {
    public static let nobody = ErasedUsers(digests: [], key: ErasureKey(""))

    private let digests: Set<String>
    private let key: ErasureKey

    init(digests: Set<String>, key: ErasureKey) {
        self.digests = digests
        self.key = key
    }

    public var isEmpty: Bool { digests.isEmpty }

    /// Takes about a microsecond.
    public func contains(_ user: UserID) -> Bool {
        !digests.isEmpty && digests.contains(key.digest(of: .user(user)))
    }
}
