import Domain
import Support

/// Which messages are on their way: several to each address, one about each user. An address that fails is left alone for a
/// while, and then tried with one message. Pure.
struct HookLanes {
    /// At once to one address.
    static let most = 8
    /// One after the other on one of them, so that under load a transaction records many answers.
    static let together = 16

    private struct Lanes {
        var running = 0
        var users: Set<UserID> = []
        /// Those whose message has ended since the ledger was last asked what is due: its answer may still have it.
        var ended: Set<UserID> = []
        var backoff = Backoff(first: .seconds(1), most: .seconds(60))
        var restsUntil: MonotonicTime = 0

        var failures: Int { backoff.failures }
    }

    private var addresses: [String: Lanes] = [:]

    /// How many messages the ledger is to be asked for, or 0. Call it before it is asked.
    mutating func look(at address: String, now: MonotonicTime) -> Int {
        addresses[address]?.ended = []
        let free = free(at: address, now: now)
        let count = addresses[address]?.failures ?? 0 == 0 ? free * HookLanes.together : free
        return free == 0 ? 0 : count + (addresses[address]?.users.count ?? 0)
    }

    private func free(at address: String, now: MonotonicTime) -> Int {
        let lanes = addresses[address] ?? Lanes()
        return lanes.restsUntil > now ? 0 : max(0, (lanes.failures == 0 ? HookLanes.most : 1) - lanes.running)
    }

    /// Chooses of what is due, whose users are given, what may be sent now: a list of indexes for each lane.
    mutating func begin(_ due: [UserID], to address: String, now: MonotonicTime) -> [[Int]] {
        var lanes = addresses[address] ?? Lanes()
        var free = free(at: address, now: now)
        var chosen = due.indices.filter { !lanes.ended.contains(due[$0]) && lanes.users.insert(due[$0]).inserted }[...]
        var lists: [[Int]] = []
        while free > 0, !chosen.isEmpty {
            let share = lanes.failures == 0 ? (chosen.count + free - 1) / free : 1
            lists.append(Array(chosen.prefix(share)))
            chosen = chosen.dropFirst(share)
            free -= 1
        }
        for index in chosen { lanes.users.remove(due[index]) }
        lanes.running += lists.count
        addresses[address] = lanes
        return lists
    }

    /// Whether an address was down, and not just refused one message: several attempts have failed in a row.
    func isDown(_ address: String) -> Bool { addresses[address]?.failures ?? 0 >= 3 }

    /// One lane has sent what it was given, up to the first answer that concerns the whole address; `users` are all of its.
    /// Returns how many attempts had failed in a row before.
    @discardableResult
    mutating func end(_ users: [UserID], to address: String, answers: [HookAnswer], now: MonotonicTime) -> Int {
        var lanes = addresses[address] ?? Lanes()
        defer { addresses[address] = lanes }
        lanes.running -= 1
        lanes.users.subtract(users)
        lanes.ended.formUnion(users)
        let before = lanes.failures
        if answers.contains(where: { !$0.concernsTheAddress }) { lanes.backoff.reset() }
        guard let last = answers.last, last.concernsTheAddress else { return before }
        lanes.restsUntil = now + max(lanes.backoff.failed(), min(last.retryAfter ?? .zero, .seconds(3600)))
        return before
    }

    /// The ledger did not take the result, so that the message would be sent again at once.
    mutating func rest(_ address: String, now: MonotonicTime) {
        addresses[address, default: Lanes()].restsUntil = now + .seconds(10)
    }

    /// After another node's turn, and for settings that were just read: no address rests any more.
    mutating func forget() {
        addresses = addresses.mapValues { Lanes(running: $0.running, users: $0.users, ended: $0.ended) }
    }
}
