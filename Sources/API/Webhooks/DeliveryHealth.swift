public import Domain
public import Stores
public import Support
import Synchronization

/// Which stores' deliveries are refused or stay away, for `/ready`, and when each store was last believed, for
/// `/metrics`. It begins anew with each start. Any thread may use it.
public final class DeliveryHealth: Sendable {
    private struct Watched: Sendable {
        let store: any Store.Type
        let lastAccepted: Gauge
        let delay: Histogram
    }

    private let watched: [Provider: Watched]
    private let records = Mutex<[Provider: DeliveryRecord]>([:])
    /// False if other nodes may accept what this one does not see.
    private let isAlone: Bool
    private let storeClock: StoreClock

    public init(stores: [any Store.Type], metrics: Metrics, isAlone: Bool, storeClock: StoreClock) {
        self.isAlone = isAlone
        self.storeClock = storeClock
        watched = stores.reduce(into: [:]) { watched, store in
            let provider = store.provider.rawValue
            watched[store.provider] = Watched(
                store: store,
                lastAccepted: metrics.gauge(.lastAccepted, labels: ["provider": provider]),
                delay: metrics.histogram(.webhookDelay, labels: ["provider": provider])
            )
        }
        for provider in stores.map({ $0.provider }) {
            metrics.gauge(.longestPause, labels: ["provider": provider.rawValue]) { [weak self] in
                // Of a busy store each is below a second, which must not look as if nothing were known.
                Int(self?.records.withLock { $0[provider]?.longestPause }.map { max(1, $0) } ?? 0)
            }
            metrics.gauge(.webhooksRefusedInARow, labels: ["provider": provider.rawValue]) { [weak self] in
                self?.records.withLock { $0[provider]?.refusedInARow(at: monotonicSeconds()) } ?? 0
            }
        }
    }

    /// `served` are the stores with all their settings, by those that were read last.
    public func serves(_ served: [Provider]) {
        for (provider, time) in watched.mapValues(\.lastAccepted) {
            if !served.contains(provider) { time.set(-1) } else if time.value < 0 { time.set(0) }
        }
    }

    /// One sentence for each store with which something is wrong.
    public var warnings: [String] {
        let now = monotonicSeconds()
        return records.withLock { records in
            records.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, record in
                let title = watched[provider]?.store.title ?? provider.rawValue
                return record.warning(about: title, at: now, silenceCounts: isAlone)
            }
        }
    }

    /// A delivery was committed, now or before. `delay` is the time since the store signed it; nil for a repetition, whose
    /// first delivery told it.
    func accepted(_ provider: Provider, delay: Duration?) {
        if let delay { watched[provider]?.delay.record(delay) }
        watched[provider]?.lastAccepted.set(Int(Clock().now().seconds))
        storeClock.accepted(provider)
        records.withLock { $0[provider, default: DeliveryRecord()].accepted(at: monotonicSeconds()) }
    }

    /// Returns what an operator should look at; nil for junk, and when neither a setting nor the clock can be the reason.
    func refused(_ delivery: Delivery, of provider: Provider, error: VerificationError) -> DeliveryRecord.Refusal? {
        guard let store = watched[provider]?.store, let refusal = store.refusal(of: delivery, error: error) else {
            return nil
        }
        records.withLock { $0[provider, default: DeliveryRecord()].refused(refusal, at: monotonicSeconds()) }
        return refusal
    }
}

/// The monotonic clock's, for what is told in minutes.
func monotonicSeconds() -> Int64 { Int64(monotonicNanoseconds().nanoseconds / 1_000_000_000) }

extension Store {
    /// A stranger's junk has no id in the store's form. What is genuine, and not for us or not of this time, needs none.
    fileprivate static func refusal(of delivery: Delivery, error: VerificationError) -> DeliveryRecord.Refusal? {
        switch error {
        case .wrongApp: DeliveryRecord.Refusal(reason: error.code, setting: appSetting, event: nil)
        case .untrusted(.badSignature), .untrusted(.unauthorized), .untrusted(.untrustedChain):
            claimedID(of: delivery).map {
                DeliveryRecord.Refusal(reason: error.code, setting: webhookSecret, event: $0)
            }
        case .untrusted(.signedInPast), .untrusted(.signedInFuture):
            DeliveryRecord.Refusal(reason: error.code, setting: nil, event: claimedID(of: delivery))
        // Found out after the signature, and again with each delivery. `StoreHealth` tells of the others.
        case .storeUnreachable(let silence) where silence == .refusedQuestion || silence == .unreadable:
            DeliveryRecord.Refusal(
                reason: error.code,
                setting: nil,
                event: claimedID(of: delivery),
                api: silence.rawValue
            )
        case .malformed, .untrusted, .wrongEnvironment, .notConfigured, .storeUnreachable: nil
        }
    }
}

/// What became of a store's deliveries lately, and whether an operator should know. Pure; every instant is in seconds of
/// the monotonic clock.
struct DeliveryRecord: Sendable {
    /// A delivery that looks like the store's and was refused.
    struct Refusal: Sendable, Equatable {
        var reason: String
        /// The setting to compare with what the store has; nil if it is this machine's clock, or what the store's API says.
        var setting: String?
        /// The claimed id of the event; nil if the delivery is genuine, and for an app that is not served.
        var event: String?
        /// What the store's API did; nil if it is another reason.
        var api: String?
    }

    private static let hour: Int64 = 3600
    /// Where the store's own are accepted, a stranger's that look like them are no news before nothing else has come for a
    /// while.
    private static let patience: Int64 = 300
    /// Pauses that say what is usual. 1000 of them span a night even with a delivery every minute.
    private static let pauseLimit = 1000
    private static let leastPauses = 10

    private var row = RefusalRow()
    private var newest: Refusal?
    private var acceptedAt: Int64?
    private var pauses: [Int64] = []

    mutating func accepted(at now: Int64) {
        if let acceptedAt { pauses.append(now - acceptedAt) }
        if pauses.count > DeliveryRecord.pauseLimit { pauses.removeFirst() }
        acceptedAt = now
        row.accepted()
    }

    mutating func refused(_ refusal: Refusal, at now: Int64) {
        row.refused(at: now)
        newest = refusal
    }

    func refusedInARow(at now: Int64) -> Int { row.count(at: now) }

    /// One sentence, or nil when all is well. `silenceCounts`: no other node may have got what this one did not.
    func warning(about store: String, at now: Int64, silenceCounts: Bool) -> String? {
        refusals(of: store, at: now) ?? (silenceCounts ? silence(of: store, at: now) : nil)
    }

    /// In seconds; nil before enough is known.
    var longestPause: Int64? { pauses.count < DeliveryRecord.leastPauses ? nil : pauses.max() }

    private func refusals(of store: String, at now: Int64) -> String? {
        let count = row.count(at: now)
        guard let newest, count >= RefusalRow.least, acceptedAt == nil || row.age(at: now) >= DeliveryRecord.patience
        else { return nil }
        let event = newest.event.map { ", the newest \($0)" } ?? ""
        return "\(store): the last \(count) deliveries were refused (\(newest.reason)\(event)), the first "
            + "\(DeliveryRecord.words(row.age(at: now))) ago: \(newest.todo)"
    }

    /// As in “… ago”.
    private static func words(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "less than a minute"
        case ..<120: "1 minute"
        case ..<(2 * hour): "\(seconds / 60) minutes"
        default: "\(seconds / hour) hours"
        }
    }

    /// What is usual is the longest pause that is remembered: nights are no news. Less than an hour never is.
    private func silence(of store: String, at now: Int64) -> String? {
        guard let acceptedAt, let longest = longestPause else { return nil }
        let silent = now - acceptedAt
        guard silent > max(3 * longest, DeliveryRecord.hour) else { return nil }
        return "\(store): nothing was accepted for \(silent / 60) minutes, and the longest pause before was "
            + "\(longest / 60): look at the store's own list of deliveries"
    }
}

extension DeliveryRecord.Refusal {
    /// What an operator does about it.
    fileprivate var todo: String {
        if let setting { return "compare \(setting) with what the store has" }
        guard let api else { return "synchronize this machine's clock (NTP)" }
        return "the store's API \(api); the log says why (store not read)"
    }
}
