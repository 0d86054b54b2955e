import Crypto
public import Domain
import Encoding

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

/// Makes digests of the names of an erased user. Without the key, which is in the ledger, nobody can find out whom a
/// tombstone stands for by trying user ids.
public struct ErasureKey: Sendable {
    /// The prefix of an event's id that is a digest.
    static let prefix = "erased:"
    private let key: HMACKey

    init(_ text: String) { key = HMACKey(Array(text.utf8)) }

    /// 256 bits, as text.
    public static func random() -> String { Hex.encode(randomBytes(32)) }

    func digest(of identity: ErasedIdentity) -> String {
        // Each field begins with its length, so that two different lists never have the same bytes.
        let message = identity.fields.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return ErasureKey.prefix + Hex.encode(key.authenticate(message[...]))
    }
}
