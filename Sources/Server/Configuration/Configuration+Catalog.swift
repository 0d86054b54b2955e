internal import Domain
internal import Settings

extension SettingsReader {
    /// `PAYCAST_CATALOG`: a JSON file.
    mutating func catalog() -> Catalog {
        guard let given = given("PAYCAST_CATALOG") else { return Catalog() }
        guard let text = contents(of: given.value) else {
            reject(given.name, because: "\(quoted(given.value)) is not a file of 1 byte to 64 KiB that can be read")
            return Catalog()
        }
        let file = CatalogFile(text)
        for problem in file.problems { reject(given.name, because: problem) }
        return Catalog(file.products)
    }

    /// `PAYCAST_TRANSFERS`: the effect on a contract that another user claims.
    mutating func transferPolicy() -> TransferPolicy {
        guard let given = given("PAYCAST_TRANSFERS") else { return .transfer }
        if let policy = TransferPolicy(rawValue: given.value) { return policy }
        let words = TransferPolicy.allCases.map(\.rawValue).joined(separator: ", ")
        reject(given.name, because: "\(quoted(given.value)) is not one of \(words)")
        return .transfer
    }
}
