internal import Concurrency
internal import Domain
internal import Observability
internal import StoreInterface
internal import Synchronization

/// Which stores' APIs refuse this server's key, as the last question to each has told. Any thread.
final class StoreHealth: Sendable {
    private let incidents = Mutex<[Provider: Incident]>([:])
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    /// A sentence each, for `/ready`.
    var problems: [String] {
        incidents.withLock { incidents in
            incidents.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, incident in
                incident.reason.map { "the API of \(provider.rawValue) refuses this server: \($0)" }
            }
        }
    }

    /// `error` is nil after an answer. That a store cannot be reached says nothing of the key.
    @Sendable func asked(_ provider: Provider, _ error: StoreAPIError?) {
        let now = monotonicNanoseconds()
        let news: Incident.News? = incidents.withLock { incidents in
            switch error {
            case .unauthorized(let reason): incidents[provider, default: Incident()].met(reason, now: now)
            case .refused, .unreadable, nil: incidents[provider]?.isOver(now: now)
            case .unavailable: nil
            }
        }
        switch news {
        case .began(let reason): log.error("store refuses", ["provider": provider.rawValue, "reason": reason])
        case .ended(let count, let seconds):
            log.info("store accepts again", ["provider": provider.rawValue, "count": count, "seconds": seconds])
        case nil: break
        }
    }
}
