internal import Gateway
internal import Providers

extension StoreParts {
    /// What the routes of apps need.
    static func appleServices(_ verifier: AppleVerifier?, _ statements: (any AppleStatements)?) -> AppleServices? {
        guard let verifier else { return nil }
        let receipts = AppleReceiptVerifier(beside: verifier)
        return AppleServices(transactions: verifier, receipts: receipts, statements: statements)
    }
}
