internal import Domain
public import Stores
public import Support
internal import Synchronization

/// Which stores' deliveries are refused or stay away, for `/ready`, and when each store was last believed, for
/// `/metrics`. It begins anew with each start. Any thread may use it.
public final class DeliveryHealth: Sendable {
    private let stores: [Provider: any Store.Type]
    private let lastAccepted: [Provider: Gauge]
    private let records = Mutex<[Provider: DeliveryRecord]>([:])
    /// False if other nodes may accept what this one does not see.
    private let isAlone: Bool

    public init(stores: [any Store.Type], metrics: Metrics, isAlone: Bool) {
        self.stores = Dictionary(uniqueKeysWithValues: stores.map { ($0.provider, $0) })
        self.isAlone = isAlone
        lastAccepted = Dictionary(
            uniqueKeysWithValues: stores.map { store in
                let gauge = metrics.gauge(
                    "paycast_webhook_last_accepted_timestamp_seconds",
                    help: "When a webhook was last accepted, in Unix time; 0 before the first since the start.",
                    labels: ["provider": store.provider.rawValue]
                )
                return (store.provider, gauge)
            }
        )
    }

    /// One sentence for each store with which something is wrong.
    public var warnings: [String] {
        let now = DeliveryHealth.now
        return records.withLock { records in
            records.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, record in
                let title = stores[provider]?.title ?? provider.rawValue
                return record.warning(about: title, at: now, silenceCounts: isAlone)
            }
        }
    }

    /// A delivery was committed, now or before.
    func accepted(_ provider: Provider) {
        lastAccepted[provider]?.set(Int(Clock().now().seconds))
        records.withLock { $0[provider, default: DeliveryRecord()].accepted(at: DeliveryHealth.now) }
    }

    /// Returns what an operator should look at; nil for junk, and when no setting can be the reason.
    func refused(_ delivery: Delivery, of provider: Provider, error: VerificationError) -> DeliveryRecord.Refusal? {
        guard let store = stores[provider], let refusal = store.refusal(of: delivery, error: error) else { return nil }
        records.withLock { $0[provider, default: DeliveryRecord()].refused(refusal, at: DeliveryHealth.now) }
        return refusal
    }

    private static var now: Int64 { Int64(monotonicNanoseconds() / 1_000_000_000) }
}

extension Store {
    /// A stranger's junk has no id in the store's form. What is genuine, and not for us, needs none.
    fileprivate static func refusal(of delivery: Delivery, error: VerificationError) -> DeliveryRecord.Refusal? {
        switch error {
        case .wrongApp: DeliveryRecord.Refusal(reason: error.code, setting: appSetting, event: nil)
        case .untrusted(.badSignature), .untrusted(.unauthorized), .untrusted(.untrustedChain):
            claimedID(of: delivery).map {
                DeliveryRecord.Refusal(reason: error.code, setting: webhookSecret, event: $0)
            }
        case .malformed, .untrusted, .wrongEnvironment, .notConfigured, .storeUnreachable: nil
        }
    }
}
