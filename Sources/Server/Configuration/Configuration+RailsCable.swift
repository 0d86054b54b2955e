internal import Domain
internal import LedgerInterface
internal import RailsCable
internal import Settings

extension SettingsReader {
    /// Never shows an address of PostgreSQL, which may carry a password.
    mutating func railsCable(beside ledger: DatabaseURL) -> CableSettings? {
        let prefix = given("PAYCAST_RAILS_CABLE_PREFIX")
        if let prefix, !isValidIdentifier(prefix.value) {
            reject(prefix.name, because: "\(quoted(prefix.value)) is not a prefix such as shop_production")
        }
        let adapter = railsCableAdapter()
        guard let given = given("PAYCAST_RAILS_CABLE_URL") else {
            if prefix != nil { warn("PAYCAST_RAILS_CABLE_PREFIX is ignored without PAYCAST_RAILS_CABLE_URL") }
            return nil
        }
        do throws(CableURL.Failure) {
            let url = try CableURL(given.value)
            if case .sqlite(let file) = ledger, case .sqlite(let cable) = url, cable.hasSameBytes(as: file) {
                reject(given.name, because: "names Paycast's own ledger; name the app's cable database")
            }
            if case .sqlite = url, adapter == .postgresql {
                reject(given.name, because: "names SQLite, which the adapter postgresql does not use")
            }
            return CableSettings(url: url, prefix: prefix?.value, adapter: adapter)
        } catch {
            reject(given.name, because: "\(error)")
            return nil
        }
    }

    private mutating func railsCableAdapter() -> CableAdapter? {
        guard let given = given("PAYCAST_RAILS_CABLE_ADAPTER") else { return nil }
        if let adapter = CableAdapter(rawValue: given.value) { return adapter }
        let words = CableAdapter.allCases.map(\.rawValue).joined(separator: ", ")
        reject(given.name, because: "\(quoted(given.value)) is not one of \(words)")
        return nil
    }
}
