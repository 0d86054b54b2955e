internal import Crypto

/// Authenticates the messages between nodes. LISTEN and NOTIFY need no right but to connect, while the key is in a
/// table of the ledger: a client that can read it could write entries as well.
public struct MessageKey: Sendable {
    /// The length of each message's code (HMAC-SHA-256).
    static let codeBytes = 32
    /// Separates this key from the ledger's own, whose inputs (digests of erased users) begin with a digit.
    private static let label = "paycast node messages"
    private let key: HMACKey

    /// Derives the key from the one that was created with the ledger.
    public init(derivedFrom ledgerKey: String) {
        key = HMACKey(HMACKey(Array(ledgerKey.utf8)).authenticate(Array(MessageKey.label.utf8)[...]))
    }

    /// An epoch never contains a colon, because a colon ends a payload's field.
    func code(of body: ArraySlice<UInt8>, epoch: String, after position: Int64, number: Int64) -> [UInt8] {
        key.authenticate(Array("\(epoch):\(position):\(number):".utf8) + body)
    }
}
