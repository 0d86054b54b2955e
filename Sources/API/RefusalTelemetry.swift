import Domain
import Stores
import Support
import Synchronization

/// Counts everything that the server refuses, and logs at most one line a minute per store and reason. A stranger who
/// posts rubbish cannot fill the disk, and no store is ever turned away silently.
public final class RefusalTelemetry: Sendable {
    private enum Door: Hashable {
        case webhook(Provider)
        /// A purchase that an app posted.
        case post(Provider)
        /// The signed name of a stream.
        case name
    }

    private struct Case: Hashable {
        var door: Door
        var reason: String
    }

    private let counters: [Case: Counter]
    /// A stranger's junk must not take the minute of a store's delivery.
    private struct Line: Hashable {
        var refused: Case
        var isClaimed: Bool
    }

    private let repetitions = Mutex<[Line: Repetition]>([:])
    /// Of apps' posts, and of names.
    private let rows = Mutex<[Door: RefusalRow]>([:])
    private let log: Log

    init(stores: [any Store.Type], metrics: Metrics, log: Log) {
        var counters: [Case: Counter] = [:]
        let codes = VerificationError.allCases.map(\.code)
        func count(_ door: Door, at provider: Provider, as metric: CounterMetric, _ reasons: [String]) {
            for reason in reasons {
                counters[Case(door: door, reason: reason)] =
                    metrics.counter(metric, labels: ["provider": provider.rawValue, "reason": reason])
            }
        }
        for store in stores {
            let provider = store.provider
            count(.webhook(provider), at: provider, as: .webhooksRefused, codes)
            guard store.takesPosts else { continue }
            count(.post(provider), at: provider, as: .postsRefused, codes + [RefusalTelemetry.other])
        }
        for reason in [RefusalTelemetry.notConfigured, "forged"] {
            counters[Case(door: .name, reason: reason)] =
                metrics.counter(.streamNamesRefused, labels: ["reason": reason])
        }
        self.counters = counters
        self.log = log
        for store in stores where store.takesPosts {
            let provider = store.provider
            metrics.gauge(.postsRefusedInARow, labels: ["provider": provider.rawValue]) { [weak self] in
                self?.inARow(.post(provider)) ?? 0
            }
        }
        metrics.gauge(.namesRefusedInARow) { [weak self] in self?.inARow(.name) ?? 0 }
    }

    private static let other = "other"
    private static let notConfigured = "not_configured"

    /// `claim` is what a delivery that looks like the store's makes an operator compare; nil for junk.
    func webhook(_ provider: Provider, error: VerificationError, claim: DeliveryRecord.Refusal?) {
        guard let count = note(.webhook(provider), reason: error.code, isClaimed: claim != nil) else { return }
        guard let claim else {
            return log.warning(
                "webhook refused",
                fields: ["provider": provider.rawValue, "reason": error.code, "count": count, "message": error.message]
            )
        }
        // No setting is at fault where it is this machine's clock, or what the store's API says.
        let cause = claim.setting.map { ("setting", $0) } ?? ("todo", RefusalTelemetry.todo(error))
        log.warning(
            "webhook refused",
            fields: [
                "provider": provider.rawValue, "reason": error.code, "count": count, "message": error.message,
                cause.0: cause.1, "event": claim.event ?? "-",
            ]
        )
    }

    private static func todo(_ error: VerificationError) -> String {
        if case .storeUnreachable = error { return "see /ready: what the store's API says" }
        return "compare this machine's clock with the time"
    }

    /// `detail` must be safe to log. Strangers do not come so far: who posts has a key, or a user's stream.
    func post(_ what: StaticString, from provider: Provider, reason: String, detail: String? = nil) {
        refused(.post(provider))
        guard let count = note(.post(provider), reason: reason) else { return }
        log.warning(what, fields: ["reason": reason, "detail": detail ?? "-", "count": count])
    }

    /// A forged name is more often signed with another app's secret than part of an attack. What does not look signed is a
    /// stranger's, and counts in no row.
    func name(hasKey: Bool, looksSigned: Bool) {
        if looksSigned { refused(.name) }
        let reason = hasKey ? "forged" : RefusalTelemetry.notConfigured
        guard let count = note(.name, reason: reason) else { return }
        let todo = "sign with a key that is in PAYCAST_STREAM_KEYS or SECRET_KEY_BASE here"
        log.warning("stream name refused", fields: ["reason": reason, "todo": todo, "count": count])
    }

    func acceptedPost(of provider: Provider) { accepted(.post(provider)) }

    func acceptedName() { accepted(.name) }

    private func refused(_ door: Door) {
        rows.withLock { $0[door, default: RefusalRow()].refused(at: monotonicSeconds()) }
    }

    private func accepted(_ door: Door) { rows.withLock { $0[door]?.accepted() } }

    private func inARow(_ door: Door) -> Int { rows.withLock { $0[door]?.count(at: monotonicSeconds()) ?? 0 } }

    /// The number of refusals that the next log line stands for, or nil if no line is due.
    private func note(_ door: Door, reason: String, isClaimed: Bool = false) -> Int? {
        let exact = Case(door: door, reason: reason)
        let key = counters[exact] == nil ? Case(door: door, reason: RefusalTelemetry.other) : exact
        counters[key]?.add()
        let now = monotonicNanoseconds()
        let line = Line(refused: key, isClaimed: isClaimed)
        return repetitions.withLock { $0[line, default: Repetition()].add(now: now) }
    }
}
