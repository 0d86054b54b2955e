import Testing

@testable import Domain

@Suite struct TemplateValuesTests {
    @Test func namesAreThoseOfTheValues() {
        let key = ContractKey(provider: .apple, environment: .sandbox, app: "a", lineage: "1")
        let heldContract = HeldContract(
            of: Contract(key: key, kind: .subscription),
            status: ContractStatus(state: .active, product: "m")
        )
        // The language and the zone are the user's, at the moment when the fragment is shown; the others are the page's.
        let added: Set = [
            "success_url", "locale", "time_zone", "entitlement", "entitlement_name", "paywall", "subscription_status",
        ]
        #expect(Set(heldContract.templateValues(user: "42").keys).union(added) == TemplateValues.names)
    }

    /// A page reads what the catalog calls things in the user's language; what a publisher has put into the same template stays.
    @Test func namesFollowTheLanguage() throws {
        let (pro, german) = try (#require(EntitlementName("pro")), #require(LanguageTag("de")))
        var (year, title) = (Catalog.Name("A year"), Catalog.Name("Pro"))
        (year.translations[german], title.translations[german]) = ("Ein Jahr", "Profi")
        let catalog = Catalog(["year": .init(name: year)], entitlements: [pro], titles: [pro: title])
        let stream = try #require(StreamPattern.standard.stream(for: "42"))
        func written(_ values: [String: String], _ template: String = "success", in language: String) -> [String] {
            let content = Fragment.Content.template(name: template, values: values)
            let fragment = Fragment(stream: stream, action: "replace", target: "paywall", content: content)
            let locale = UserLocale(language: LanguageTag(language))
            guard case .template(_, let written) = fragment.written(in: locale, naming: catalog).content else {
                return []
            }
            return [written["name"] ?? "", written["entitlement_name"] ?? ""]
        }
        let values = ["product": "year", "name": "A year", "entitlement": "pro", "entitlement_name": "Pro"]
        #expect(written(values, in: "de-AT") == ["Ein Jahr", "Profi"])
        #expect(written(values, in: "fr") == ["A year", "Pro"])
        #expect(written(values, "notice", in: "de") == ["A year", "Pro"])
        #expect(written(values.merging(["name": "Own"]) { $1 }, in: "de") == ["Own", "Profi"])
        #expect(written(["product": "other", "name": "other"], in: "de") == ["other", ""])
    }

    @Test func namesEverythingThatIsKnown() {
        let key = ContractKey(provider: .apple, environment: .sandbox, app: "a", lineage: "1")
        let signedAt = Instant(milliseconds: 1_766_000_000_000)
        var contract = Contract(key: key, kind: .subscription)
        let charge = Transaction(
            id: "t",
            product: "monthly",
            purchasedAt: signedAt,
            price: 9990,
            currency: "EUR",
            signedAt: signedAt
        )
        let token = OrderToken("a5af9b36-0e4d-4665-8351-0e4003752165")
        let observation = Observation(
            contract: key,
            kind: .subscription,
            group: "g",
            token: token,
            transaction: charge
        )
        _ = contract.apply(observation, event: "e", signedAt: signedAt)
        let status = ContractStatus(
            state: .cancelled,
            product: "monthly",
            accessUntil: Instant(milliseconds: 1_766_094_420_000),
            autoRenew: false
        )
        #expect(
            HeldContract(of: contract, status: status)
                .templateValues(user: "42", event: .autoRenewOff, reason: "AUTO_RENEW_DISABLED") == [
                    "user": "42", "product": "monthly", "name": "monthly", "quantity": "", "group": "g",
                    "state": "cancelled",
                    "access_until": "18 December 2025", "access_until_iso": "2025-12-18T21:47:00.000Z",
                    "auto_renew": "false", "trial": "false", "trial_ends_at": "", "trial_ends_at_iso": "",
                    "pending_product": "", "price": "9.99", "currency": "EUR",
                    "order": "a5af9b36-0e4d-4665-8351-0e4003752165", "provider": "apple", "environment": "Sandbox",
                    "event": "subscription.auto_renew_off", "reason": "AUTO_RENEW_DISABLED",
                ]
        )
    }

    @Test func trialEndsWithItsAccess() {
        let key = ContractKey(provider: .apple, environment: .sandbox, app: "a", lineage: "1")
        var status = ContractStatus(state: .cancelled, product: "m")
        (status.accessUntil, status.isTrial) = (Instant(milliseconds: 1_766_094_420_000), true)
        let values = HeldContract(of: Contract(key: key, kind: .subscription), status: status).templateValues(
            user: "42"
        )
        #expect(values["trial"] == "true" && values["trial_ends_at"] == "18 December 2025")
        #expect(values["trial_ends_at_iso"] == "2025-12-18T21:47:00.000Z")
    }

    struct Price: Sendable {
        var thousandths: Int64
        var text: String
    }

    @Test(arguments: [
        Price(thousandths: 0, text: "0.00"), Price(thousandths: 990, text: "0.99"),
        Price(thousandths: 9990, text: "9.99"), Price(thousandths: 9995, text: "9.995"),
        Price(thousandths: 500_000, text: "500.00"), Price(thousandths: -1500, text: "-1.50"),
        Price(thousandths: .min, text: "-9223372036854775.808"),
    ])
    func prices(_ price: Price) {
        let key = ContractKey(provider: .stripe, environment: .production, app: "a", lineage: "1")
        var heldContract = HeldContract(
            of: Contract(key: key, kind: .consumable),
            status: ContractStatus(state: .delivered, product: "coins")
        )
        heldContract.price = price.thousandths
        #expect(heldContract.templateValues(user: "42")["price"] == price.text)
    }
}
