internal import Ledger
internal import Support

/// Where the server listens that was started, or would be, with this environment.
///
/// A server that runs has left its address beside its ledger in SQLite, whatever flags it was started with.
func serverAddress(of environment: [String: String]) -> String? {
    let url = environment["DATABASE_URL"] ?? "sqlite:paycast.db"
    if case .sqlite(let path)? = try? DatabaseURL(url), let address = LedgerLock.holder(of: path)?.address {
        return address
    }
    let port = environment["PORT"].flatMap(nonEmpty)
    let bind = environment["PAYCAST_BIND"].flatMap(nonEmpty)
    guard port != nil || bind != nil, let number = Int(port ?? "8080"), (1...65_535).contains(number) else {
        return nil
    }
    let isSecure = environment["PAYCAST_TLS_CERT"].flatMap(nonEmpty) != nil
    return ServerAddress(bind: bind ?? "127.0.0.1", port: number, isSecure: isSecure).own
}
