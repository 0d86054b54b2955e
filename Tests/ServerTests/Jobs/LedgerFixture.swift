import Ledger
import Support
import Synchronization
import TestSupport
import Testing

@testable import Domain
@testable import Server
@testable import Stores

/// A real ledger of an app at Apple, at the fixture's instant.
final class LedgerFixture: Sendable {
    let writer: LedgerWriter
    let reader: LedgerReader
    let clock = Clock(startingAt: AppleFixture.now)
    let metrics: Metrics
    let counts: RecoveryCounts
    let lines = LogLines()
    let ends = EndedAccessQueue()
    private let folder = TemporaryFolder()

    init(apis: Set<Provider> = [.apple]) throws {
        var policy = AccessPolicy(sandboxUsers: .any)
        policy.apis = apis
        policy.leeway = .seconds(3600)
        metrics = Metrics()
        counts = RecoveryCounts(metrics, of: [.apple])
        let path = folder.path + "/ledger.db"
        writer = try LedgerWriter(
            engine: SQLiteEngine(path: path),
            clock: clock,
            policy: policy,
            streams: .standard,
            providers: [.apple, .google, .stripe, .revenuecat, .purchasekit],
            log: lines.log(clock),
            metrics: metrics,
            onCommit: { _ in }
        )
        reader = try LedgerReader(engine: SQLiteEngine(path: path), clock: clock, policy: policy, streams: .standard)
    }

    func close() {
        reader.close()
        writer.close()
    }

    @discardableResult
    func send(_ event: Event, claim: Claim? = nil) throws -> CommitResult {
        try ask { writer.submit(.event(event, claim: claim, receivedAt: AppleFixture.now, completion: $0)) }
    }

    func order(for user: UserID, at provider: Provider = .apple) throws -> OrderToken {
        let request = OrderRequest(user: user, product: "paycast.pro.monthly", provider: provider)
        let promise = Promise<Result<OrderResult, OrderError>>()
        guard writer.submit(.order(request, completion: promise.fulfil)) else { throw LedgerError.busy }
        return try promise.wait().get().order.token
    }

    func backlog() throws -> JobBacklog {
        try reader.answer { try $0.jobBacklog() }
    }

    func entitlements(of user: UserID) throws -> UserEntitlements {
        try reader.answer { try $0.entitlements(of: user) }
    }

    private func context(under lease: LeaderLease = .alone) -> WorkContext {
        let log = lines.log(clock)
        let hold = OutgoingHold(isHeld: false, log: log) { true }
        return WorkContext(
            reader: reader,
            writer: writer,
            leaderLease: lease,
            clock: clock,
            log: log,
            hold: hold
        )
    }

    func runner(_ apis: [Provider: any StoreAPI]) -> JobRunner {
        JobRunner(context(), apis: { apis }, metrics: metrics)
    }

    func checkers(_ apis: [Provider: any StoreAPI]) -> [RenewalChecker] {
        apis.keys.map { RenewalChecker(provider: $0, context: context(), apis: { apis }, ends: ends) }
    }

    func mark(_ place: String) throws -> Instant? {
        try reader.answer { try $0.checkpoint(place) }
    }

    /// `verifier`: of a server with other settings than the fixture's.
    func recovery(
        _ fixture: AppleFixture,
        in environments: [StoreEnvironment] = [.sandbox],
        verifier: AppleVerifier? = nil,
        under lease: LeaderLease = .alone
    ) throws -> Recovery {
        let lists = environments.map { environment in
            var list = fixture.api.history(of: AppleFixture.bundle, in: environment)
            list.pause = .zero
            return list
        }
        let history = HistorySource(words: AppleServerAPI.historyWords, lists: lists, isStandIn: false)
        return try recovery(of: .apple, history: history, verifier: verifier ?? fixture.verifier, under: lease)
    }

    func voids(_ google: GoogleVerifier, of packages: String...) throws -> Recovery {
        let lists = packages.map { package in
            var list = google.voidedPurchases(of: package)
            list.pause = .zero
            return list
        }
        let words = GoogleVerifier.historyWords
        let history = HistorySource(words: words, lists: lists, asksForEntries: true, isStandIn: false)
        return try recovery(of: .google, history: history, verifier: google, under: .alone)
    }

    private func recovery(
        of provider: Provider,
        history: HistorySource,
        verifier: any StoreVerifier,
        under lease: LeaderLease
    ) throws -> Recovery {
        try #require(Recovery(of: provider, context: context(under: lease), counts: counts) { (history, verifier) })
    }

    /// Asks again and again until it is so.
    func wait(until isSo: () throws -> Bool) throws {
        try Deadline(.seconds(30)).wait(until: isSo)
    }

    private func ask<Value: Sendable>(
        _ question: (@escaping @Sendable (Result<Value, LedgerError>) -> Void) -> Bool
    ) throws -> Value {
        let promise = Promise<Result<Value, LedgerError>>()
        guard question({ promise.fulfil($0) }) else { throw LedgerError.busy }
        return try promise.wait().get()
    }
}

/// What was logged.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func log(_ clock: Clock) -> Log {
        Log(level: .debug, format: .text, clock: clock) { [self] line in lines.withLock { $0.append(line) } }
    }
}
