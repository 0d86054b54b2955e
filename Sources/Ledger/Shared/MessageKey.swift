internal import Crypto

/// Authenticates what nodes tell each other. LISTEN and NOTIFY need no right but to connect, while the key is in a table
/// of the ledger: whoever has it could write entries as well.
public struct MessageKey: Sendable {
    /// Of each message's code (HMAC-SHA-256).
    static let codeBytes = 32
    /// Digests of erased users, for which the ledger's key is used itself, are of texts that begin with a digit.
    private static let label = "paycast node messages"
    private let key: HMACKey

    /// Derives it from the key that the ledger was made with.
    public init(derivedFrom ledgerKey: String) {
        key = HMACKey(HMACKey(Array(ledgerKey.utf8)).authenticate(Array(MessageKey.label.utf8)[...]))
    }

    /// No epoch has a colon, because a payload's fields end with one.
    func code(of body: ArraySlice<UInt8>, epoch: String, after position: Int64, number: Int64) -> [UInt8] {
        key.authenticate(Array("\(epoch):\(position):\(number):".utf8) + body)
    }
}
