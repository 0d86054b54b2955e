internal import LedgerInterface
internal import LedgerSQL
internal import Observability

/// Commands that cannot be committed: they are refused, and so are those that follow, until it works again.
extension WriterLoop {
    func fail(_ error: EngineError, of commands: ArraySlice<LedgerCommand>) {
        try? repository.rollback()
        health.report(.commit, problem: error.advice)
        refuse(commands)
    }

    /// False when a commit would not be found after the next start. Nothing is committed then.
    func isInPlace() -> Bool {
        let problem = repository.problem
        health.report(.files, problem: problem)
        if problem != nil && health.beginRescue() { rescue() }
        return problem == nil && health.isSound
    }

    func refuse(_ commands: ArraySlice<LedgerCommand>) {
        counts.failures.add()
        for command in commands { command.refuse(.busy) }
    }
}
