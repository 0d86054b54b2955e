public import Domain
public import Stores
public import Support
import Synchronization

/// Which stores' APIs do not answer this server, or refuse its key, according to the last calls to each, and how often a
/// delivery was answered 503 for that. It begins anew with each start. Any thread may use it.
public final class StoreHealth: Sendable {
    /// What of a store is asked. Each answers for itself alone.
    public enum Part: CaseIterable, Sendable {
        case api
        /// The address of the keys that sign what the store sends.
        case keys
    }

    private struct Source: Hashable {
        var provider: Provider
        var part = Part.api
    }

    private struct Record {
        var refusal = Incident()
        var silence = StoreSilence()
    }

    private let records = Mutex<[Source: Record]>([:])
    private let names: [Provider: String]
    private let clock: Clock
    private let log: Log

    public init(stores: [any Store.Type], clock: Clock, metrics: Metrics, log: Log) {
        names = stores.reduce(into: [:]) { $0[$1.provider] = $1.name }
        self.clock = clock
        self.log = log
        for store in stores {
            let provider = store.provider
            metrics.gauge(.deliveriesWaiting, labels: ["provider": provider.rawValue]) { [weak self] in
                self?.deliveries(of: provider) ?? 0
            }
        }
    }

    /// One sentence per store, for `/ready`.
    public var problems: [String] {
        all { source, record in
            record.refusal.reason.map { "the API of \(source.provider.rawValue) refuses this server: \($0)" }
                ?? (record.silence.isOutage ? sentence(source, record.silence) : nil)
        }
    }

    /// Of stores whose silence holds up no deliveries: the ends of periods, jobs, and what no webhook brought.
    public var warnings: [String] {
        all { source, record in
            record.silence.isTold && !record.silence.isOutage ? sentence(source, record.silence) : nil
        }
    }

    private func all(_ words: (Source, Record) -> String?) -> [String] {
        records.withLock { $0 }.compactMap(words).sorted()
    }

    /// `error` is nil after an answer. A store that gives none says nothing about the key.
    @Sendable public func asked(_ provider: Provider, _ part: Part = .api, error: StoreAPIError?) {
        let (source, now) = (Source(provider: provider, part: part), monotonicNanoseconds())
        let (refusal, silence) = records.withLock { records in
            if case .unavailable(let reason, _) = error {
                let began = records[source, default: Record()].silence.unanswered(reason, at: clock.now(), now: now)
                return (Incident.News?.none, began ? StoreSilence.News.began : nil)
            }
            let ended = records[source]?.silence.answered(now: now)
            switch error {
            case .unauthorized(let reason):
                return (records[source, default: Record()].refusal.recordFailure(reason, now: now), ended)
            default: return (records[source]?.refusal.recordSuccess(now: now), ended)
            }
        }
        if let refusal { tell(refusal, of: provider) }
        if let silence { tell(silence, of: source) }
    }

    /// A delivery was answered 503, because the API has told nothing. Returns what an operator is told about it; nil if the
    /// API has answered since, or another call is still waiting for it.
    func waits(_ provider: Provider) -> String? {
        for part in Part.allCases {
            _ = records.withLock { $0[Source(provider: provider, part: part)]?.silence.delayed() }
        }
        let silent = Part.allCases.map { Source(provider: provider, part: $0) }.first { silence(of: $0).since != nil }
        return silent.map { sentence($0, silence(of: $0)) }
    }

    /// Whether a call just now got no answer, so that nobody should wait for another who need not.
    public func isSilent(_ provider: Provider) -> Bool {
        silence(of: Source(provider: provider)).isFresh(now: monotonicNanoseconds())
    }

    /// Those whose API has been told to be silent.
    public var silent: Set<Provider> {
        records.withLock { Set($0.filter { $0.key.part == .api && $0.value.silence.isTold }.map(\.key.provider)) }
    }

    private func silence(of source: Source) -> StoreSilence {
        records.withLock { $0[source]?.silence ?? StoreSilence() }
    }

    /// The alarm is about what `/ready` says.
    private func deliveries(of provider: Provider) -> Int {
        let silences = Part.allCases.map { silence(of: Source(provider: provider, part: $0)) }
        return silences.filter(\.isTold).map(\.deliveries).max() ?? 0
    }

    private func sentence(_ source: Source, _ silence: StoreSilence) -> String {
        let provider = source.provider
        let asked = source.part == .api ? "API of \(provider.rawValue)" : "address of \(provider.rawValue)'s keys"
        let since = silence.since?.iso8601 ?? "now"
        let waiting =
            switch silence.deliveries {
            case 0: "what waits for it is done later"
            case 1: "a delivery was answered 503 for that, once"
            default: "deliveries were answered 503 for that, \(silence.deliveries) times"
            }
        return "the \(asked) has not answered since \(since) (\(silence.reason)): \(waiting). "
            + "Look at the status page of \(names[provider] ?? provider.rawValue), and whether this machine reaches it"
    }

    private func tell(_ news: Incident.News, of provider: Provider) {
        switch news {
        case .began(let reason): log.error("store refuses", fields: ["provider": provider.rawValue, "reason": reason])
        case .ended(let count, let seconds):
            log.info(
                "store accepts again",
                fields: ["provider": provider.rawValue, "count": count, "seconds": seconds]
            )
        case .works: break
        }
    }

    private func tell(_ news: StoreSilence.News, of source: Source) {
        let provider = source.provider
        switch news {
        case .began:
            let silence = silence(of: source)
            log.error(
                "store does not answer",
                fields: [
                    "provider": provider.rawValue, "since": silence.since?.iso8601 ?? "-", "reason": silence.reason,
                    "deliveries": silence.deliveries,
                ]
            )
        case .ended(let deliveries, let seconds):
            log.info(
                "store answers again",
                fields: ["provider": provider.rawValue, "deliveries": deliveries, "seconds": seconds]
            )
        }
    }
}

/// The calls to a store's API that got no answer since the last one that did, and how often a delivery was answered 503
/// meanwhile: the same one counts each time that the store sends it. Pure.
struct StoreSilence: Sendable {
    enum News: Equatable {
        case began
        case ended(deliveries: Int, seconds: Int)
    }

    /// One or two may have met a hiccup.
    static let least = 3
    private static let freshness = Duration.seconds(30)

    private(set) var reason = ""
    /// The end of the first of these calls; nil while the store answers.
    private(set) var since: Instant?
    private(set) var deliveries = 0
    private var calls = 0
    private var began: MonotonicTime = 0
    private var newest: MonotonicTime = 0

    /// Deliveries wait that nobody can read. A stranger's, after one call that met a hiccup, are no outage.
    var isOutage: Bool { isTold && deliveries >= StoreSilence.least }
    var isTold: Bool { calls >= StoreSilence.least }

    /// Returns true if it is news.
    mutating func unanswered(_ reason: String, at instant: Instant, now: MonotonicTime) -> Bool {
        let wasTold = isTold
        if since == nil { (since, began) = (instant, now) }
        self.reason = reason
        newest = now
        calls += 1
        return isTold && !wasTold
    }

    /// A delivery could not be read. Only while the store is silent: a stranger's may wait for what another is being told.
    mutating func delayed() {
        if since != nil { deliveries += 1 }
    }

    mutating func answered(now: MonotonicTime) -> News? {
        guard since != nil else { return nil }
        defer { self = StoreSilence() }
        return isTold ? .ended(deliveries: deliveries, seconds: Int((now - began) / 1_000_000_000)) : nil
    }

    func isFresh(now: MonotonicTime) -> Bool { since != nil && now < newest + StoreSilence.freshness }
}
