internal import LedgerInterface

extension LedgerError {
    init(_ error: SQLiteError) {
        self = error.isBusy ? .busy : .failed(reason: error.description)
    }
}
