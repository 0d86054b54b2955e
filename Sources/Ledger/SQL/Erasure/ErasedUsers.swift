import Crypto
public import Domain
import Encoding
import Synchronization

/// Erased users, of whom only tombstones are left.
public struct ErasedUsers: Sendable {
    public static let nobody = ErasedUsers(digests: [], key: ErasureKey(""))

    let digests: Set<String>
    let key: ErasureKey

    public var isEmpty: Bool { digests.isEmpty }

    /// Takes about a microsecond.
    public func contains(_ user: UserID) -> Bool {
        !digests.isEmpty && digests.contains(key.digest(of: .user(user)))
    }
}

/// Whose open pages were ended, and where last.
///
/// All of them are in memory as long as the process lives, because a name that was signed before never ends by itself: 22 to 43
/// bytes a user, by how full the dictionary is, which is 43 MB for a million users at the most.
public final class EndedUsers: Sendable {
    /// Another one each time: it takes notes.
    public static var nobody: EndedUsers { EndedUsers(key: ErasureKey("")) }

    private let key: ErasureKey
    /// By the first eight bytes of the digest. Of two users who share them, which takes billions of users, one needs a new name
    /// when the pages of the other are ended.
    private let positions = Mutex<[UInt64: Int64]>([:])
    /// Most servers have ended nobody's: then no digest is made.
    private let hasNone = Atomic(true)

    init(key: ErasureKey) { self.key = key }

    public var isEmpty: Bool { hasNone.load(ordering: .acquiring) }

    public func note(_ ending: PagesEnding) { note(key.digest(of: .user(ending.user)), at: ending.position) }

    func note(_ digest: String, at position: Int64) {
        let place = EndedUsers.place(of: digest)
        positions.withLock { $0[place] = max($0[place] ?? 0, position) }
        hasNone.store(false, ordering: .releasing)
    }

    /// 0 for most. Takes about a microsecond.
    public func last(of user: UserID) -> Int64 {
        guard !isEmpty else { return 0 }
        let place = EndedUsers.place(of: key.digest(of: .user(user)))
        return positions.withLock { $0[place] ?? 0 }
    }

    private static func place(of digest: String) -> UInt64 {
        UInt64(digest.dropFirst(ErasureKey.prefix.count).prefix(16), radix: 16) ?? 0
    }
}

/// Makes digests of the names of an erased user. Without the key, which is in the ledger, nobody can find out whom a
/// tombstone stands for by trying user ids.
struct ErasureKey: Sendable {
    /// The prefix of an event's id that is a digest.
    static let prefix = "erased:"
    private let key: HMACKey

    init(_ text: String) { key = HMACKey(Array(text.utf8)) }

    /// 256 bits, as text.
    static func random() -> String { Hex.encode(randomBytes(32)) }

    func digest(of identity: ErasedIdentity) -> String {
        // Each field begins with its length, so that two different lists never have the same bytes.
        let message = identity.fields.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return ErasureKey.prefix + Hex.encode(key.authenticate(message[...]))
    }
}
