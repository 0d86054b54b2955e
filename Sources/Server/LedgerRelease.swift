public import Ledger

extension DatabaseURL {
    /// Lets the server that runs on this ledger, or the next one, act outwards. Throws if there is no ledger.
    public func release() throws(LedgerError) {
        switch self {
        case .sqlite(let path): try SQLiteEngine.release(path)
        case .postgres(let text):
            let url: PostgresURL
            do throws(PostgresURL.Failure) { url = try PostgresURL(text) } catch {
                throw .unreachable(reason: "DATABASE_URL \(error)")
            }
            try PostgresEngine.release(url)
        }
    }
}
