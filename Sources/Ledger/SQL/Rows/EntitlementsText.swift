import Domain
import Encoding

/// A user's entitlements as an entry keeps them: a line each, with spaces between the fields. JSON would take four times the
/// room of a row that every event adds.
enum EntitlementsText {
    static func text(_ entitlements: [EntitlementSummary]) -> String {
        entitlements.map(line).joined(separator: "\n")
    }

    /// Nil for a text that no version of the ledger writes.
    static func entitlements(_ text: String) -> [EntitlementSummary]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let entitlements = lines.compactMap(entitlement)
        return entitlements.count == lines.count ? entitlements : nil
    }

    /// Of one that the user never had, the name and `0`.
    private static func line(_ entitlement: EntitlementSummary) -> String {
        let start = "\(entitlement.name) \(flag(entitlement.isActive))"
        guard let state = entitlement.state, let product = entitlement.product, let provider = entitlement.provider
        else { return start }
        let store = entitlement.store == provider.rawValue ? nil : entitlement.store
        let rest = [
            state.rawValue, PercentEncoding.encode(product), number(entitlement.accessUntil),
            entitlement.autoRenew.map(flag) ?? "", number(entitlement.trialEndsAt), provider.rawValue,
            store.map { PercentEncoding.encode($0) } ?? "",
        ]
        return start + " " + rest.joined(separator: " ")
    }

    private static func entitlement(_ line: Substring) -> EntitlementSummary? {
        let fields = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 2 || fields.count == 9, let name = EntitlementName(fields[0]) else { return nil }
        var entitlement = EntitlementSummary(name, isActive: fields[1] == "1")
        guard fields.count == 9 else { return entitlement }
        guard let state = ContractState(rawValue: fields[2]) else { return nil }
        entitlement.state = state
        entitlement.product = decoded(fields[3])
        entitlement.accessUntil = instant(fields[4])
        entitlement.autoRenew = fields[5].isEmpty ? nil : fields[5] == "1"
        entitlement.trialEndsAt = instant(fields[6])
        entitlement.provider = Provider(rawValue: fields[7])
        entitlement.store = fields[8].isEmpty ? fields[7] : decoded(fields[8])
        return entitlement
    }

    /// A NUL, which nobody decodes, stays escaped.
    private static func decoded(_ field: String) -> String { PercentEncoding.decode(field) ?? field }

    private static func flag(_ isSet: Bool) -> String { isSet ? "1" : "0" }

    private static func number(_ instant: Instant?) -> String { instant.map { String($0.milliseconds) } ?? "" }

    private static func instant(_ number: String) -> Instant? {
        Int64(number).map { Instant(milliseconds: $0) }
    }
}
