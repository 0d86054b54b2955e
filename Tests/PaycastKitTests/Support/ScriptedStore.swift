import Foundation

@testable import PaycastKit

/// A store that does what a test says, and remembers what was finished.
actor ScriptedStore: Store {
    private var known: [StoreProduct] = [
        StoreProduct(id: "pro.annual", name: "Pro", displayPrice: "€ 79,99"),
        StoreProduct(id: "coins", name: "Coins", displayPrice: "€ 0,99"),
        Fixture.subscription,
    ]
    private var next: Result<StoreOutcome, PurchaseError> = .success(.cancelled)
    private var unknownOffer: PurchaseOffer?
    private var isOffline = false
    private var closesPasswordSheet = false
    private var meanwhile: (@Sendable () -> Void)?
    private(set) var purchases: [UUID] = []
    private(set) var offers: [PurchaseOffer?] = []
    private var refund: Result<RefundRequest, PurchaseError> = .success(.requested)
    private(set) var finished: [UInt64] = []
    private(set) var sheets: [String] = []
    private var open: [UInt64: SignedTransaction] = [:]
    private var all: [SignedTransaction] = []
    private nonisolated let stream: AsyncStream<StoreUpdate>
    private nonisolated let continuation: AsyncStream<StoreUpdate>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func answer(_ outcome: StoreOutcome) { next = .success(outcome) }

    func fail(_ error: PurchaseError) { next = .failure(error) }

    func refuse(_ offer: PurchaseOffer) { unknownOffer = offer }

    func goOffline() { isOffline = true }

    func closePasswordSheet() { closesPasswordSheet = true }

    /// What happens while the sheet for the password is up.
    func whileSyncing(_ body: @escaping @Sendable () -> Void) { meanwhile = body }

    func hold(_ transaction: SignedTransaction) {
        open[transaction.id] = transaction
        all = all.filter { $0.id != transaction.id } + [transaction]
    }

    /// Bought and finished before.
    func own(_ transaction: SignedTransaction) { all.append(transaction) }

    nonisolated func bring(_ update: StoreUpdate) { continuation.yield(update) }

    func products(_ ids: [String]) throws(PurchaseError) -> [StoreProduct] {
        if isOffline { throw .store("offline") }
        return known.filter { ids.contains($0.id) }
    }

    func withEligibility(_ products: [StoreProduct]) -> [StoreProduct] {
        products.map {
            var product = $0
            product.introductoryOffer?.isEligible = true
            return product
        }
    }

    func purchase(_ product: String, token: UUID, offer: PurchaseOffer?) throws(PurchaseError) -> StoreOutcome {
        purchases.append(token)
        offers.append(offer)
        if let offer, offer == unknownOffer { throw .unknownOffer }
        let outcome = try next.get()
        if case .bought(let transaction) = outcome { hold(transaction) }
        return outcome
    }

    nonisolated func updates() -> AsyncStream<StoreUpdate> { stream }

    func unfinished() -> [SignedTransaction] { open.values.sorted { $0.id < $1.id } }

    func owned() -> [SignedTransaction] { all }

    func appTransaction() throws(PurchaseError) -> SignedAppTransaction {
        if isOffline { throw .offline }
        return SignedAppTransaction(id: "704912345678901234", jws: "header.download.signature")
    }

    func sync() throws(PurchaseError) {
        meanwhile?()
        if closesPasswordSheet { throw .cancelled }
        if isOffline { throw .store("offline") }
    }

    func finish(_ transaction: UInt64) {
        open[transaction] = nil
        // The second time, a store has nothing to finish.
        if !finished.contains(transaction) { finished.append(transaction) }
    }

    func showManageSubscriptions() { sheets.append("manage") }

    func redeemOfferCode() { sheets.append("redeem") }

    func requestRefund(of product: String) throws(PurchaseError) -> RefundRequest { try refund.get() }

    func answerRefund(_ result: Result<RefundRequest, PurchaseError>) { refund = result }
}

/// A server that answers what a test says.
actor ScriptedServer: Transport {
    struct NoAnswer: Error {}

    private(set) var requests: [ServerRequest] = []
    private var held: [String: [CheckedContinuation<Void, Never>]] = [:]
    private var answers: [String: ServerResponse?] = [
        "transactions/apple": ServerResponse(
            status: 200,
            body: Data(#"{"outcome":"applied","event":"client:1","cursor":"e-1","claim":"yours"}"#.utf8)
        ),
        "entitlements": ServerResponse(
            status: 200,
            body: Data(#"{"active":false,"entitlements":{},"contracts":[]}"#.utf8)
        ),
    ]

    /// Connections that stay open.
    private(set) var connections: [AsyncStream<ServerSentEvent>.Continuation] = []
    private(set) var closed = 0

    nonisolated func events(_ request: ServerRequest) -> AsyncStream<ServerSentEvent> {
        AsyncStream { continuation in Task { await open(request, continuation) } }
    }

    private func open(_ request: ServerRequest, _ continuation: AsyncStream<ServerSentEvent>.Continuation) {
        requests.append(request)
        connections.append(continuation)
        continuation.onTermination = { _ in Task { await self.close() } }
    }

    private func close() { closed += 1 }

    /// What comes in for it is answered once it is released.
    func hold(_ path: String) { held[path] = [] }

    func release(_ path: String) {
        for request in held.removeValue(forKey: path) ?? [] { request.resume() }
    }

    /// Nil for no answer.
    func answer(_ path: String, _ response: ServerResponse?) { answers[path] = .some(response) }

    func answer(_ path: String, _ status: Int, _ body: String, headers: [String: String] = [:]) {
        answers[path] = ServerResponse(status: status, headers: headers, body: Data(body.utf8))
    }

    func send(_ request: ServerRequest) async throws -> ServerResponse {
        requests.append(request)
        if held[request.path] != nil { await withCheckedContinuation { held[request.path]?.append($0) } }
        guard let answer = answers[request.path] ?? nil else { throw NoAnswer() }
        return answer
    }

    func count(_ path: String) -> Int { requests.count { $0.path == path } }
}

/// A backend that has one order for everything.
struct FixedOrders: OrderSource {
    func order(for product: String) -> Order { Fixture.order() }
}

/// A clock that runs only when it is told to.
final class HandClock: Timekeeper, @unchecked Sendable {
    private let lock = NSLock()
    private var time = Fixture.start
    private var sleepers: [Int: (until: Date, CheckedContinuation<Void, Never>)] = [:]
    private var last = 0
    /// An element for each who begins to sleep.
    private let (sleeps, slept) = AsyncStream<Void>.makeStream()

    var now: Date { lock.withLock { time } }

    func advance(_ seconds: TimeInterval) {
        let woken = lock.withLock {
            time += seconds
            let due = sleepers.filter { $0.value.until <= time }
            for number in due.keys { sleepers[number] = nil }
            return due.values.map(\.1)
        }
        for sleeper in woken { sleeper.resume() }
    }

    /// Waits until somebody sleeps for that long from now on, and lets the time pass.
    func pass(_ seconds: TimeInterval) async {
        for await _ in sleeps {
            let isAwaited = lock.withLock {
                sleepers.values.contains { abs($0.until.timeIntervalSince(time) - seconds) < 0.001 }
            }
            if isAwaited { return advance(seconds) }
        }
    }

    func sleep(until date: Date) async {
        let number = lock.withLock {
            last += 1
            return last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = lock.withLock {
                    guard date > time, !Task.isCancelled else { return true }
                    sleepers[number] = (date, continuation)
                    return false
                }
                if isOver { continuation.resume() } else { slept.yield() }
            }
        } onCancel: {
            lock.withLock { sleepers.removeValue(forKey: number) }?.1.resume()
        }
    }
}

/// An app: a store, a server, a clock, and a folder that outlives the process.
struct App {
    let store = ScriptedStore()
    let server = ScriptedServer()
    let clock = HandClock()
    let folder = Folder()
    var disk: Disk { Disk(folder: folder.url) }

    /// Starts the process. Ends with `stop`.
    func launch(
        orders: (any OrderSource)? = nil,
        starts: Bool = true,
        willPerform: (@Sendable (PurchaseAction) -> Void)? = nil
    ) -> Purchases {
        let purchases = Purchases(
            PurchaseEngine.Parts(
                store: store,
                server: PaycastServer(transport: server),
                disk: disk,
                orders: orders,
                time: clock,
                chance: { 0 },
                willPerform: willPerform
            )
        )
        if starts { purchases.start() }
        return purchases
    }

    /// Asks until it is so, for ten seconds of the real clock at most: what a condition looks at announces nothing.
    func eventually(_ condition: () async -> Bool) async -> Bool {
        for _ in 0..<1_000 {
            if await condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
