internal import Concurrency
internal import Domain
internal import StoreInterface

/// Asks the stores' APIs for a purchase that does not exist, at the start and every hour, so that an operator learns of
/// a refused key before a buyer comes. The answers reach `StoreHealth`. Apple needs no probe: the server fetches its
/// history anyway.
struct StoreProbe {
    private static let pause = Duration.seconds(3600)

    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>

    init(_ stores: SharedValue<OpenStores>, clock: Clock) {
        let waker = Waker()
        let mailbox = Mailbox<Never>(capacity: 0) { waker.wake() }
        self.mailbox = mailbox
        thread = WorkerThread(name: "store-probe") {
            while !mailbox.isClosed {
                for contract in stores.value.nobodysPurchases where !mailbox.isClosed {
                    _ = try? stores.value.apis[contract.provider]?.statement(of: contract, now: clock.now())
                }
                if !mailbox.isClosed { waker.wait(timeout: StoreProbe.pause) }
            }
        }
    }

    /// Makes no more calls from now on.
    func halt() {
        mailbox.close()
    }

    /// Halts, and waits for the call that is under way.
    func close() {
        halt()
        thread.join()
    }
}
