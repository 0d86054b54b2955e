/// An opaque, printable position in the ledger: `EPOCH-SEQ`. The epoch belongs to the ledger, not to the process.
public struct Cursor: Hashable, Sendable, LosslessStringConvertible {
    public let epoch: String
    /// The row id of the outbox entry; 0 is before the first one.
    public let position: Int64

    public init(epoch: String, position: Int64) {
        self.epoch = epoch
        self.position = position
    }

    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...16).contains(parts[0].utf8.count), parts[0].utf8.allSatisfy(isEpochByte),
            (1...19).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
            let position = Int64(parts[1])
        else { return nil }
        self.init(epoch: String(parts[0]), position: position)
    }

    public var description: String { "\(epoch)-\(position)" }
}

private func isEpochByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...122).contains(byte)
}

extension Cursor {
    /// 41 random bits, because cursors of another ledger must not pass for this one's.
    public static func newEpoch() -> String {
        let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return String((0..<8).map { _ in alphabet[Int.random(in: 0..<36)] })
    }
}
