internal import Domain
internal import HTTP

/// How often somebody may try to open the door, in each minute: by address, and in all.
struct TryLimit: Sendable {
    static let byAddress = 5
    /// Also the most addresses that are remembered.
    static let inAll = 60

    private var minute: Int64 = 0
    private var total = 0
    private var tries: [IPAddress?: Int] = [:]

    /// Counts a try. Nil if it may be made; otherwise the seconds to wait. A right key counts as well: who guesses could
    /// otherwise begin again with a key of their own.
    mutating func admit(_ address: IPAddress?, now: Instant) -> Int64? {
        let current = now.seconds / 60
        if current != minute { (minute, total, tries) = (current, 0, [:]) }
        guard total < TryLimit.inAll, tries[address, default: 0] < TryLimit.byAddress else {
            return 60 - now.seconds % 60
        }
        total += 1
        tries[address, default: 0] += 1
        return nil
    }
}
