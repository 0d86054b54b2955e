public import Domain
public import Ledger
public import Runtime
public import Stores

/// The thread that asks stores whether a period that has ended was renewed, before anybody's page says that it was not.
/// The ledger keeps access open by the policy's leeway meanwhile, and ends it then by itself.
public final class Reconciler: Sendable {
    private static let roundSize = 1000

    private let reader: LedgerReader
    private let writer: LedgerWriter
    private let apis: [Provider: any StoreAPI]
    private let ends: AccessEnds
    private let clock: Clock
    private let log: Log
    private let stop = Routine.Stop()
    private let routine: Routine

    public init(
        reader: LedgerReader,
        writer: LedgerWriter,
        apis: [Provider: any StoreAPI],
        ends: AccessEnds,
        clock: Clock,
        log: Log
    ) {
        (self.reader, self.writer, self.apis) = (reader, writer, apis)
        (self.ends, self.clock, self.log) = (ends, clock, log)
        routine = Routine(stop)
    }

    public func start() {
        routine.start("reconciler", Reconciliation()) { [self] state in
            turn(&state)
            return .seconds(1)
        }
    }

    /// Begins nothing new.
    public func halt() {
        routine.halt()
    }

    /// Waits for the question that runs: before the ledger is closed.
    public func close() {
        routine.end()
    }

    private func turn(_ state: inout Reconciliation) {
        let now = clock.now()
        let expiring = answer { reader.expiring(at: now, limit: Reconciler.roundSize, completion: $0) } ?? []
        var silent: [Provider: StoreAPIError] = [:]
        for key in state.due(of: expiring, now: now) where !stop.isRaised {
            if let error = silent[key.provider] {
                failed(key, error, &state)
            } else if let error = ask(key, &state), error.concernsTheWholeStore {
                silent[key.provider] = error
            }
        }
        for notice in ends.take() {
            guard let provider = notice.provider, let environment = notice.environment, let lineage = notice.contract,
                state.ended(lineage, at: provider, in: environment)
            else { continue }
            log.warning("access ended unconfirmed", ["provider": provider.rawValue, "contract": lineage])
        }
    }

    private func ask(_ key: ContractKey, _ state: inout Reconciliation) -> StoreAPIError? {
        let now = clock.now()
        guard let api = apis[key.provider] else { return nil }
        do throws(StoreAPIError) {
            let statement = try api.statement(of: key, now: now)
            let isCommitted = statement.map { commit($0, now) } ?? true
            state.asked(key, isAnswered: isCommitted, now: now, jitter: .random(in: 0..<1))
            log.info("asked at a period's end", ["provider": key.provider.rawValue, "known": statement != nil])
            return nil
        } catch {
            failed(key, error, &state)
            log.warning(
                "no answer at a period's end",
                ["provider": key.provider.rawValue, "contract": key.lineage, "reason": error.description]
            )
            return error
        }
    }

    private func failed(_ key: ContractKey, _ error: StoreAPIError, _ state: inout Reconciliation) {
        var after: Instant?
        if case .unavailable(_, let comeback) = error { after = comeback }
        let (now, jitter) = (clock.now(), Double.random(in: 0..<1))
        state.asked(key, isAnswered: false, now: now, notBefore: after, jitter: jitter)
    }

    private func commit(_ statement: Event, _ now: Instant) -> Bool {
        let receipt: Receipt? = answer { writer.submit(.event(statement, receivedAt: now, completion: $0)) }
        return receipt != nil
    }
}
