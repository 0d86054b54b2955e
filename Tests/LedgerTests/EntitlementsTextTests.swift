import Testing

@testable import Domain
@testable import Ledger

/// What a user has, in the column of an entry.
@Suite struct EntitlementsTextTests {
    private static let pro = EntitlementName("pro") ?? .standard

    private static func had(_ change: (inout EntitlementSummary) -> Void = { _ in }) -> EntitlementSummary {
        var summary = EntitlementSummary(pro, isActive: true)
        (summary.state, summary.product, summary.provider, summary.store) = (.active, "pro.annual", .apple, "apple")
        change(&summary)
        return summary
    }

    private static let summaries = [
        [EntitlementSummary(.standard, isActive: false)],
        [had(), EntitlementSummary(.standard, isActive: false)],
        [had { ($0.autoRenew, $0.accessUntil) = (true, Instant(milliseconds: 1_800_000_000_001)) }],
        [had { ($0.autoRenew, $0.trialEndsAt) = (false, Instant(milliseconds: -1)) }],
        [had { ($0.provider, $0.store) = (.revenuecat, "app store") }],
        [had { $0.product = "a b\nc\u{1}%20 é" }],
        [had { ($0.isActive, $0.state, $0.product) = (false, .revoked, "") }],
    ]

    @Test(arguments: summaries) func isReadAsItWasWritten(_ summaries: [EntitlementSummary]) {
        #expect(EntitlementsText.entitlements(EntitlementsText.text(summaries)) == summaries)
    }

    @Test func isShort() {
        #expect(EntitlementsText.text(Self.summaries[1]) == "pro 1 active pro.annual    apple \ndefault 0")
    }

    @Test(arguments: ["", "pro", "PRO 1", "pro 1 active", "pro 1 unheard p    apple ", "pro 0\n"])
    func damageIsRefused(_ text: String) {
        #expect(EntitlementsText.entitlements(text) == nil)
    }
}
