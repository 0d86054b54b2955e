internal import Concurrency
internal import Domain
internal import StoreInterface

/// Asks the stores' APIs for a purchase that nobody has made, at the start and every hour: a key that is refused is known
/// before a buyer comes. What they answer, `StoreHealth` hears of. Apple is asked for its history by itself.
struct StoreProbe {
    private static let pause = Duration.seconds(3600)

    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>

    init(_ stores: Current<OpenStores>, _ clock: Clock) {
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
