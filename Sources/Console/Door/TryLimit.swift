internal import Domain
internal import HTTP

/// How often somebody may try to open the door, in each minute: by network, and with wrong keys in all.
struct TryLimit: Sendable {
    static let byAddress = 5
    static let inAll = 60
    /// How many networks are remembered.
    private static let memory = 1000

    private var minute: Int64 = 0
    private var total = 0
    private var tries: [IPAddress?: Int] = [:]

    /// Counts a try. Nil if it may be made; otherwise the seconds to wait. A right key counts for its network as well: who
    /// guesses could otherwise begin again with a key of their own. It is not held up by what strangers try elsewhere.
    mutating func admit(_ address: IPAddress?, isRight: Bool, now: Instant) -> Int64? {
        let network = address?.network
        let current = now.seconds / 60
        if current != minute { (minute, total, tries) = (current, 0, [:]) }
        guard isRight || total < TryLimit.inAll, tries[network, default: 0] < TryLimit.byAddress,
            tries.count < TryLimit.memory
        else { return 60 - now.seconds % 60 }
        if !isRight { total += 1 }
        tries[network, default: 0] += 1
        return nil
    }
}
