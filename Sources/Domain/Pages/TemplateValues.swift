/// The values that fragment templates may show: every value that a state change brings.
public enum TemplateValues {
    public static let names: Set<String> = [
        "user", "product", "name", "quantity", "group", "state", "access_until", "access_until_iso", "auto_renew",
        "trial", "trial_ends_at", "trial_ends_at_iso", "pending_product", "price", "currency", "order", "provider",
        "environment", "event", "reason", successURL, locale, timeZone, entitlement, entitlementName,
        PageTarget.paywall.rawValue, PageTarget.subscriptionStatus.rawValue,
    ]

    /// An order's: where its page goes after the purchase, and what stands before each name of its own words. A fragment has them
    /// if its order has.
    public static let successURL = "success_url", metadata = "metadata_"

    /// Whether a template of a state change may show a value of this name.
    public static func admits(_ name: String) -> Bool {
        names.contains(name) || name.hasPrefix(metadata) && OrderContext.isName(String(name.dropFirst(metadata.count)))
    }

    /// The `EntitlementName` of the elements that a fragment replaces, and what the catalog calls it, or else that name. Stored fragments have them if
    /// the catalog names entitlements. `paywall` and `subscription_status` are the ids of its elements; they follow from a
    /// fragment's target.
    public static let entitlement = "entitlement", entitlementName = "entitlement_name"

    /// A `LanguageTag`, and the `TimeZoneName` in which `access_until` is written. Stored fragments have neither: they are
    /// filled in when a fragment is sent, with what is known of the user at that time.
    public static let locale = "locale", timeZone = "time_zone"
}

extension Fragment {
    /// True when the fragment has a template and its publisher did not choose a language.
    public var hasNoLanguage: Bool {
        guard case .template(_, let values) = content else { return false }
        return (values[TemplateValues.locale] ?? "").isEmpty
    }

    /// The fragment in the user's language and time zone, with the names that the catalog has in this language. A fragment that
    /// has its own language, or needs none, stays as it is; in a broadcast, Paycast writes no dates and no names.
    public func written(in locale: UserLocale, naming catalog: Catalog) -> Fragment {
        guard locale != .unknown, hasNoLanguage, case .template(let name, var values) = content else { return self }
        if let language = locale.language { values[TemplateValues.locale] = language.text }
        if FragmentName(rawValue: name) != nil {
            if let zone = locale.timeZone { values[TemplateValues.timeZone] = zone.text }
            if let language = locale.language { values.translate(by: catalog, into: language) }
        }
        var written = self
        written.content = .template(name: name, values: values)
        return written
    }
}

extension [String: String] {
    /// Only what the catalog's own name still is: a publisher may use a page's template with other values.
    fileprivate mutating func translate(by catalog: Catalog, into language: LanguageTag) {
        let names = [
            ("name", self["product"].flatMap { catalog[$0]?.name }),
            (
                TemplateValues.entitlementName,
                self[TemplateValues.entitlement].flatMap { EntitlementName($0) }.map { catalog.title(of: $0) }
            ),
        ]
        for case (let value, let name?) in names where self[value]?.hasSameBytes(as: name.text) ?? false {
            self[value] = name.text(in: language)
        }
    }
}

extension HeldContract {
    /// The values that a fragment's template may show. An unknown value is the empty string.
    ///
    /// `event` and `reason` say why the page changes when an event of this contract is the cause: `event` is our name
    /// for it, the same for every store, and `reason` is the store's own word.
    public func templateValues(user: UserID, event: EventKind? = nil, reason: String? = nil) -> [String: String] {
        [
            "user": user.text,
            "product": status.product,
            "name": name ?? status.product,
            "quantity": quantity.map(String.init) ?? "",
            "group": group ?? "",
            "state": status.state.rawValue,
            "access_until": status.accessUntil?.longDate ?? "",
            "access_until_iso": status.accessUntil?.iso8601 ?? "",
            "auto_renew": status.autoRenew.map { $0 ? "true" : "false" } ?? "",
            "trial": status.isTrial ? "true" : "false",
            "trial_ends_at": status.trialEndsAt?.longDate ?? "",
            "trial_ends_at_iso": status.trialEndsAt?.iso8601 ?? "",
            "pending_product": status.pendingProduct ?? "",
            "price": price.map(decimalText) ?? "",
            "currency": currency ?? "",
            "order": order?.description ?? "",
            "provider": contract.provider.rawValue,
            "environment": contract.environment.rawValue,
            "event": event?.rawValue ?? "",
            "reason": reason ?? "",
        ]
    }
}

/// Thousandths as a decimal: two digits, or three where they are needed.
private func decimalText(_ thousandths: Int64) -> String {
    let padded = padded(String(thousandths.magnitude), to: 4)
    let fraction = padded.suffix(3)
    let sign = thousandths < 0 ? "-" : ""
    return "\(sign)\(padded.dropLast(3)).\(fraction.hasSuffix("0") ? fraction.dropLast() : fraction)"
}
