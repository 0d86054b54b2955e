import Domain
import Ledger
import Support

/// Empties bodies and fragments that are older than `PAYCAST_RETENTION_DAYS`, in steps that hold nobody up.
struct RetentionRunner: BackgroundWork {
    /// A step takes a tenth of this on the writer's thread.
    private static let pause = Duration.milliseconds(30)
    private static let interval = Duration.seconds(3600)
    private static let retry = Duration.seconds(60)

    let context: WorkContext
    let days: Int
    let routine = Routine()

    func start() {
        // The number of steps so far.
        routine.start("retention", state: 0) { steps in turn(&steps) }
    }

    private func turn(_ steps: inout Int) -> Duration {
        guard let lease = context.leaderLease.lease else { return RetentionRunner.retry }
        let instant = context.clock.now() - .seconds(Int64(days) * 86_400)
        let answer = Promise<Result<Bool, LedgerError>>()
        let step = LedgerCommand.emptyOld(before: instant) { answer.fulfil($0) }
        guard context.writer.submit(.led(step, under: lease)) else { return RetentionRunner.retry }
        switch answer.wait() {
        case .failure(let error):
            context.log.error(
                "retention failed",
                fields: ["problem": error, "todo": "nothing: it is tried again in a minute"]
            )
            return RetentionRunner.retry
        case .success(false):
            steps += 1
            return RetentionRunner.pause
        case .success(true):
            if steps > 0 { context.log.info("retention done", fields: ["days": days]) }
            steps = 0
            return RetentionRunner.interval
        }
    }
}
