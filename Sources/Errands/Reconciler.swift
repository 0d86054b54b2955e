public import Domain
public import Ledger
public import Runtime
public import Stores

/// The thread that asks stores whether a period that has ended was renewed, before anybody's page says that it was not.
/// The ledger keeps access open by the policy's leeway meanwhile, and ends it then by itself.
public final class Reconciler: Sendable {
    private static let roundSize = 100

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

    /// Waits for the question that runs: before the ledger is closed.
    public func close() {
        routine.end()
    }

    private func turn(_ state: inout Reconciliation) {
        let now = clock.now()
        let expiring = answer { reader.expiring(at: now, limit: Reconciler.roundSize, completion: $0) } ?? []
        for key in state.due(of: expiring, now: now) where !stop.isRaised { ask(key, &state) }
        for notice in ends.take() {
            guard let provider = notice.provider, let environment = notice.environment, let lineage = notice.contract,
                state.ended(lineage, at: provider, in: environment)
            else { continue }
            log.warning("access ended unconfirmed", ["provider": provider.rawValue, "contract": lineage])
        }
    }

    private func ask(_ key: ContractKey, _ state: inout Reconciliation) {
        let now = clock.now()
        let jitter = Double.random(in: 0..<1)
        guard let api = apis[key.provider] else { return }
        do throws(StoreAPIError) {
            let statement = try api.statement(of: key, now: now)
            let isCommitted = statement.map { commit($0, now) } ?? true
            state.asked(key, isAnswered: isCommitted, now: now, jitter: jitter)
            log.info("asked at a period's end", ["provider": key.provider.rawValue, "known": statement != nil])
        } catch {
            var after: Instant?
            if case .unavailable(_, let comeback) = error { after = comeback }
            state.asked(key, isAnswered: false, now: now, notBefore: after, jitter: jitter)
            log.warning(
                "no answer at a period's end",
                ["provider": key.provider.rawValue, "contract": key.lineage, "reason": error.description]
            )
        }
    }

    private func commit(_ statement: Event, _ now: Instant) -> Bool {
        let receipt: Receipt? = answer { writer.submit(.event(statement, receivedAt: now, completion: $0)) }
        return receipt != nil
    }
}
