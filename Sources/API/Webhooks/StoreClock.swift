public import Domain
public import Stores
public import Support
import Synchronization

/// How far this server's clock is off by the stores' word: the date of the last answer of any store's API, and deliveries that
/// are genuine and were refused for nothing but their time. It begins anew with each start. Any thread may use it.
public final class StoreClock: Sendable {
    private let record = Mutex(StoreTimeRecord())
    private let incident = Mutex(Incident())
    private let names: [Provider: String]
    private let clock: Clock
    private let log: Log

    public init(stores: [any Store.Type], clock: Clock, metrics: Metrics, log: Log) {
        names = stores.reduce(into: [:]) { $0[$1.provider] = $1.name }
        self.clock = clock
        self.log = log
        metrics.gauge(.clockAhead) { [weak self] in Int(self?.word?.aheadSeconds ?? 0) }
    }

    /// Seconds by which a clock may be off before an operator is warned, and before deliveries are refused: the tolerance of
    /// Stripe and Apple.
    public static let notice: Int64 = 30
    public static let limit: Int64 = 300

    /// What the last store says; nil before any does.
    public var word: StoreClockAnswer? {
        let ahead = record.withLock { $0.ahead(at: clock.now(), now: bootNanoseconds()) }
        return ahead.map { StoreClockAnswer(store: names[$0.store] ?? $0.store.rawValue, aheadSeconds: $0.seconds) }
    }

    /// True while it is so far off that a store should be asked again soon.
    public var isOff: Bool { word?.isOff ?? false }

    /// For `/ready`.
    public var problems: [String] { sentence { $0 > StoreClock.limit } }
    public var warnings: [String] { sentence { (StoreClock.notice + 1...StoreClock.limit).contains($0) } }

    private func sentence(_ isMeant: (Int64) -> Bool) -> [String] {
        guard let word, isMeant(abs(word.aheadSeconds)) else { return [] }
        return ["this server's clock is \(word.words)"]
    }

    @Sendable public func told(_ store: Provider, _ time: StoreTime) {
        let now = bootNanoseconds()
        record.withLock { record in
            switch time {
            case .answered(let date): record.answered(store, date: date, now: now)
            case .signed(let date): record.refused(store, signedAt: date, now: now)
            }
        }
        let news = incident.withLock { incident in
            guard let word, word.isOff else { return incident.recordSuccess(now: now) }
            return incident.recordFailure(word.words, now: now)
        }
        switch news {
        case .began(let reason): log.error("clock is off", fields: ["reason": reason])
        case .ended(_, let seconds): log.info("clock is right again", fields: ["seconds": seconds])
        case .works, nil: break
        }
    }

    /// The store has just signed something that is fresh by this clock.
    func accepted(_ store: Provider) { record.withLock { $0.accepted(store) } }
}

/// In the answer of `/ready`: how far the server's clock is off.
public struct StoreClockAnswer: Codable, Sendable, Equatable {
    /// Whose word it is.
    public var store: String
    /// Negative if the server's clock is behind.
    public var aheadSeconds: Int64

    public init(store: String, aheadSeconds: Int64) {
        self.store = store
        self.aheadSeconds = aheadSeconds
    }

    var isOff: Bool { abs(aheadSeconds) > StoreClock.notice }

    /// As in “the clock is …”, with what to do.
    public var words: String {
        let off = "\(abs(aheadSeconds)) s \(aheadSeconds < 0 ? "behind" : "ahead of") that of \(store)"
        guard isOff else { return off }
        let why = abs(aheadSeconds) > StoreClock.limit ? ": genuine deliveries are refused" : ""
        return "\(off)\(why); synchronize it (NTP)"
    }
}

/// The last word of a store about the time. It is kept with that of the monotonic clock that goes on in a suspended machine, so
/// that a step of the machine's clock shows at once, whoever made it, and nothing else does. Pure.
struct StoreTimeRecord: Sendable {
    private struct Word {
        var store: Provider
        var date: Instant
        var now: MonotonicTime
        /// Nobody was asked: deliveries were refused.
        var isOfDeliveries = false

        /// The store's time now.
        func date(at now: MonotonicTime) -> Instant { date + .nanoseconds(Int64(clamping: now - self.now)) }
    }

    /// One may be late, or sent again by a stranger who has seen it.
    private static let leastRefusals = 3
    /// What is refused for a wrong clock is off by the same; what was held up somewhere, and comes at once, is not.
    private static let likeness = Duration.seconds(5)

    /// Deliveries of one store that agree.
    private struct Refusals {
        var newest: Word
        var count: Int
    }

    private var word: Word?
    private var refusals: [Provider: Refusals] = [:]

    func ahead(at instant: Instant, now: MonotonicTime) -> (store: Provider, seconds: Int64)? {
        word.map { ($0.store, instant.elapsed(since: $0.date(at: now)).components.seconds) }
    }

    mutating func answered(_ store: Provider, date: Instant, now: MonotonicTime) {
        word = Word(store: store, date: date, now: now)
        refusals = [:]
    }

    /// Each has to be signed later than the one before: the same one, sent again, says nothing new.
    mutating func refused(_ store: Provider, signedAt date: Instant, now: MonotonicTime) {
        let next = Word(store: store, date: date, now: now, isOfDeliveries: true)
        var count = 1
        if let before = refusals[store] {
            guard date > before.newest.date else { return }
            let distance = date.elapsed(since: before.newest.date(at: now))
            let isAlike = distance <= StoreTimeRecord.likeness && .zero - distance <= StoreTimeRecord.likeness
            if isAlike { count += before.count }
        }
        refusals[store] = Refusals(newest: next, count: count)
        if count >= StoreTimeRecord.leastRefusals { word = next }
    }

    mutating func accepted(_ store: Provider) {
        refusals[store] = nil
        if word?.store == store, word?.isOfDeliveries == true { word = nil }
    }
}
