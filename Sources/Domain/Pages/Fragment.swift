/// The two elements of a page that Paycast owns for each entitlement. Raw values are the DOM ids of the main one's.
public enum PageTarget: String, CaseIterable, Sendable {
    /// A card: what the user may buy, or has.
    case paywall
    /// A banner: changes on every state change.
    case subscriptionStatus = "subscription_status"
}

extension PageTarget {
    /// The element's DOM id: `paywall` for the main entitlement, `paywall_maps` for the one called `maps`.
    public func id(of entitlement: EntitlementName, in catalog: Catalog) -> String {
        rawValue + (entitlement == catalog.main ? "" : "_\(entitlement)")
    }
}

/// The fragments that state changes cause; the raw value is the template's name in `public/fragments/`.
public enum FragmentName: String, CaseIterable, Sendable {
    case success, pending, paywall, manage
    case warnBilling = "warn_billing"
    case fixBilling = "fix_billing"
    case ending, paused, revoked, moved
    /// Of a consumable. It replaces no `PageTarget`, since it is no state (`Fragment.purchaseTarget`).
    case purchase
}

/// One `<turbo-stream>` element for one stream, before it is rendered. It holds facts, so that what a page missed is
/// rendered with today's templates.
public struct Fragment: Sendable, Equatable {
    public enum Content: Sendable, Equatable {
        /// A template of `public/fragments/` and the values it may show (escaped when rendered).
        case template(name: String, values: [String: String])
        /// The content of `<template>`, as a publisher wrote it.
        case html(String)
        /// Complete `<turbo-stream>` elements, as a publisher wrote them; `action` and `target` repeat what they say.
        case markup(String)
        /// `remove` and `refresh` have no content.
        case none
    }

    public var stream: StreamName
    /// `replace`, `update`, `append`, … or a page's custom action.
    public var action: String
    /// A DOM id; nil for `refresh` and for markup of several elements.
    public var target: String?
    /// A CSS selector in place of `target`.
    public var targets: String?
    public var content: Content

    public init(stream: StreamName, action: String, target: String? = nil, targets: String? = nil, content: Content) {
        self.stream = stream
        self.action = action
        self.target = target
        self.targets = targets
        self.content = content
    }

    /// The bytes of its content before it is rendered.
    public var size: Int {
        switch content {
        case .template(let name, let values):
            values.reduce(name.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        case .html(let text), .markup(let text): text.utf8.count
        case .none: 0
        }
    }

    /// A fragment is superfluous once a newer one has the same key, because the newer one replaces the whole element or
    /// its whole content. An `update` leaves the attributes that a `replace` brought, so the two actions have separate
    /// keys, and so has what is news and no state.
    public var collapseKey: CollapseKey? {
        guard action == "replace" || action == "update", let target else { return nil }
        return CollapseKey((isNews ? CollapseKey.news : action) + " " + target)
    }

    /// The DOM id of the element that shows what has just happened to a consumable.
    public static let purchaseTarget = "purchase"

    private var isNews: Bool {
        guard case .template(let name, _) = content, action == "replace", let target else { return false }
        return name == FragmentName.purchase.rawValue && target.hasSameBytes(as: Fragment.purchaseTarget)
    }
}

/// What a fragment replaces on a page: an action and a target. Keys are compared as bytes, as DOM ids are.
public struct CollapseKey: Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    fileprivate static let news = "news"

    /// True for what has happened rather than what holds: a page that was rendered after it, and so says no cursor, is not
    /// sent it. One that missed it is.
    public var isNews: Bool { text.utf8.starts(with: "\(CollapseKey.news) ".utf8) }
}

extension CollapseKey: Hashable {
    public static func == (left: CollapseKey, right: CollapseKey) -> Bool { left.text.hasSameBytes(as: right.text) }

    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension CollapseKey: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}
