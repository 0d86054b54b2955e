/// The number of each sender's newest message. Whoever listens can notify again what a node has notified, and a node
/// takes each message once.
///
/// A sender that begins again has another number of its own. What remains: a node that begins knows no sender, so it can
/// be told once more, in order, what was sent before it began, in the ledger's epoch.
public struct HeardNumbers: Sendable {
    /// More than the nodes of a ledger, and those that were before them.
    static let senderLimit = 1024
    /// By the sender's own number: its newest message, and how many had come from all senders by then.
    private var newest: [Int64: (number: Int64, turn: Int)] = [:]
    private var turn = 0

    public init() {}

    var senderCount: Int { newest.count }

    /// Whether nothing as new has come from its sender. `number` has been authenticated.
    mutating func take(_ number: Int64) -> Bool {
        let sender = number >> 32
        if let known = newest[sender] {
            guard number > known.number else { return false }
        } else if newest.count >= HeardNumbers.senderLimit,
            let oldest = newest.min(by: { $0.value.turn < $1.value.turn })
        {
            newest[oldest.key] = nil
        }
        turn += 1
        newest[sender] = (number, turn)
        return true
    }
}
