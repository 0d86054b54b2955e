import Crypto

/// Authenticates the messages between nodes. LISTEN and NOTIFY need no right but to connect, while the key is in a
/// table of the ledger: a client that can read it could write entries as well.
struct MessageKey: Sendable {
    /// The length of each message's code (HMAC-SHA-256).
    static let codeBytes = 32
    /// Separates this key from the ledger's own, whose inputs (digests of erased users) begin with a digit.
    private static let label = "paycast node messages"
    private let key: HMACKey

    /// Derives the key from the one that was created with the ledger.
    init(derivedFrom ledgerKey: String) {
        key = HMACKey(HMACKey(Array(ledgerKey.utf8)).authenticate(Array(MessageKey.label.utf8)[...]))
    }

    /// An epoch never contains a colon, because a colon ends a payload's field.
    func code(of body: ArraySlice<UInt8>, epoch: String, after position: Int64, number: Int64) -> [UInt8] {
        key.authenticate(Array("\(epoch):\(position):\(number):".utf8) + body)
    }
}

/// The number of each sender's newest message. Anyone who may LISTEN can replay a node's notification, so each number
/// is taken once.
///
/// A sender that restarts has a new number of its own. One gap remains: a node that starts knows no sender yet, so the
/// messages sent in this epoch before its start can be replayed to it once, in order.
struct NewestMessageNumbers: Sendable {
    /// More than the nodes of a ledger and their predecessors.
    static let senderLimit = 1024
    /// Each sender's newest message, by the sender's own number, and the count of messages from all senders at that
    /// time.
    private var newest: [Int64: (number: Int64, turn: Int)] = [:]
    private var turn = 0

    var senderCount: Int { newest.count }

    /// True if this is the sender's newest number so far. `number` has been authenticated.
    mutating func take(_ number: Int64) -> Bool {
        let sender = number >> 32
        if let known = newest[sender] {
            guard number > known.number else { return false }
        } else if newest.count >= NewestMessageNumbers.senderLimit,
            let oldest = newest.min(by: { $0.value.turn < $1.value.turn })
        {
            newest[oldest.key] = nil
        }
        turn += 1
        newest[sender] = (number, turn)
        return true
    }
}
