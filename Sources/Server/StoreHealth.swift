import Domain
import Stores
import Support
import Synchronization

/// Which stores' APIs refuse this server's key, according to the last call to each. Any thread may use it.
final class StoreHealth: Sendable {
    private let incidents = Mutex<[Provider: Incident]>([:])
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    /// One sentence per store, for `/ready`.
    var problems: [String] {
        incidents.withLock { incidents in
            incidents.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, incident in
                incident.reason.map { "the API of \(provider.rawValue) refuses this server: \($0)" }
            }
        }
    }

    /// `error` is nil after an answer. An unreachable store says nothing about the key.
    @Sendable func asked(_ provider: Provider, error: StoreAPIError?) {
        let now = monotonicNanoseconds()
        let news: Incident.News? = incidents.withLock { incidents in
            switch error {
            case .unauthorized(let reason): incidents[provider, default: Incident()].recordFailure(reason, now: now)
            case .refused, .unreadable, .notYetKnown, nil: incidents[provider]?.recordSuccess(now: now)
            case .unavailable: nil
            }
        }
        switch news {
        case .began(let reason): log.error("store refuses", fields: ["provider": provider.rawValue, "reason": reason])
        case .ended(let count, let seconds):
            log.info(
                "store accepts again",
                fields: ["provider": provider.rawValue, "count": count, "seconds": seconds]
            )
        case nil: break
        }
    }
}

/// Asks the stores' APIs for a purchase that does not exist, at the start and every hour, so that an operator learns of
/// a refused key before a buyer comes. The answers reach `StoreHealth`. Apple needs no probe: the server fetches its
/// history anyway.
enum StoreProbe {
    private static let pause = Duration.seconds(3600)

    /// Returns the thread that asks. After a halt, it makes no more calls.
    static func start(_ stores: SharedValue<OpenStores>, clock: Clock) -> Routine {
        let stop = Routine.Stop()
        let routine = Routine(stop)
        routine.start("store-probe", state: ()) { _ in
            for contract in stores.value.nobodysPurchases where !stop.isRaised {
                _ = try? stores.value.apis[contract.provider]?.statement(of: contract, now: clock.now())
            }
            return pause
        }
        return routine
    }
}
