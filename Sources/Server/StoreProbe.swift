internal import Concurrency
public import Domain
internal import Simulator
internal import Stores

/// Asks the stores' APIs for a purchase that nobody has made, at the start and every hour: a key that is refused is known
/// before a buyer comes. What they answer, `StoreHealth` hears of. Apple is asked for its history by itself.
struct StoreProbe {
    private static let pause = Duration.seconds(3600)

    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>

    init(_ stores: Current<StoreParts>, _ contracts: [ContractKey], _ clock: Clock) {
        let waker = Waker()
        let mailbox = Mailbox<Never>(capacity: 0) { waker.wake() }
        self.mailbox = mailbox
        thread = WorkerThread(name: "store-probe") {
            while !mailbox.isClosed {
                for contract in contracts where !mailbox.isClosed {
                    _ = try? stores.value.apis[contract.provider]?.statement(of: contract, now: clock.now())
                }
                if !mailbox.isClosed { waker.wait(timeout: StoreProbe.pause) }
            }
        }
    }

    /// Asks nothing more.
    func halt() {
        mailbox.close()
    }

    /// Waits for the question that runs.
    func close() {
        halt()
        thread.join()
    }
}

extension StoreAPIs {
    /// Only whoever may read is told that there is no such purchase. Nil without a key, and for stores without an API.
    public func nobodysPurchase(at provider: Provider) -> ContractKey? {
        let id = "paycastdoctor"
        switch provider {
        case .google:
            let package = configuration.google.packages.min() ?? SimulatedGooglePlay.package
            return ContractKey(provider: .google, environment: .production, app: package, lineage: id)
        case .stripe:
            return stripe.map { api in
                let environment = StoreEnvironment.allCases.first(where: api.reads) ?? .production
                return ContractKey(provider: .stripe, environment: environment, app: "stripe", lineage: "sub_" + id)
            }
        case .apple, .revenuecat, .purchasekit: return nil
        }
    }
}
