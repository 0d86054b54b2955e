import Domain

/// One file of `public/fragments/`: an element for each page target that it replaces, with that target's id. A file that
/// serves several entitlements writes the id as a value, `{{paywall}}`; one in the folder of an entitlement is its own.
struct TemplateFile: Equatable {
    /// By id. The id that is a value is in braces.
    let roots: [String: Template]

    /// `key` is the file's name without `.html`, after the name of its folder and a slash if it has one.
    init(key: String, source: [UInt8]) throws(MarkupError) {
        guard let name = TemplateFile.name(of: key) else {
            throw MarkupError(
                "is never used under this name; call it NAME.html, NAME.LOCALE.html, NAME.PRODUCT.html or "
                    + "NAME.PRODUCT.LOCALE.html with NAME of a-z, 0-9 and _"
            )
        }
        guard String(validating: source, as: UTF8.self) != nil else {
            throw MarkupError("is not UTF-8; save it as UTF-8")
        }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let source = source.starts(with: byteOrderMark) ? Array(source.dropFirst(3)) : source
        let elements = try HTMLElement.topLevel(of: source)
        let page = FragmentName(rawValue: name)
        try TemplateFile.checkTargets(of: elements, name: name, page: page, folder: TemplateFile.folder(of: key))
        var roots: [String: Template] = [:]
        for element in elements {
            let id = TemplateFile.spelled(element.id ?? "")
            guard roots[id] == nil else { throw MarkupError("has two elements with id=\"\(id)\"; keep one") }
            roots[id] = try Template(source, range: element.range, values: page == nil ? nil : TemplateValues.names)
        }
        self.roots = roots
    }

    /// Whether an id is written as the main entitlement's, and not as a value.
    var isOfMainAlone: Bool { PageTarget.allCases.contains { roots[$0.rawValue] != nil } }

    /// The entitlement whose own the file is; nil for one that serves all.
    static func folder(of key: String) -> String? { key.firstIndex(of: "/").map { String(key[..<$0]) } }

    /// The part before the first dot, without the folder; nil when no fragment could have that name.
    static func name(of key: String) -> String? {
        let key = key.drop { $0 != "/" }.isEmpty ? key[...] : key.drop { $0 != "/" }.dropFirst()
        let name = key.prefix { $0 != "." }
        guard !name.isEmpty, name.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) || $0 == 95 }),
            name.utf8.count == key.utf8.count || key.utf8.count > name.utf8.count + 1
        else { return nil }
        return String(name)
    }

    /// `{{ paywall }}` as `{{paywall}}`.
    private static func spelled(_ id: String) -> String {
        guard id.utf8.count > 4, id.hasPrefix("{{"), id.hasSuffix("}}") else { return id }
        return "{{\(String(decoding: Array(id.utf8)[2..<id.utf8.count - 2].trimmingSpaces(), as: UTF8.self))}}"
    }

    static func isID(_ id: String, of target: PageTarget, folder: String?) -> Bool {
        let written = spelled(id)
        return written == target.rawValue || written == target.placeholder
            || folder.map { written == "\(target.rawValue)_\($0)" } ?? false
    }

    /// The element that `action` puts at `target`: the one with that id, or the only element if ids need not match.
    /// `element` is the page's element that `target` is.
    func root(action: String, target: String?, element: PageElement? = nil) -> Template? {
        if let target, let root = roots[target] { return root }
        if let element, let root = roots[element.target.placeholder] { return root }
        guard target == nil || action != "replace", roots.count == 1 else { return nil }
        return roots.values.first
    }
}

/// Decides which target a template must contain.
extension TemplateFile {
    /// A page's template has only page targets, and the one that its name requires. Any other template is the app's own,
    /// for broadcasts: one element with an id. `page` is nil if no fragment has this name.
    static func checkTargets(
        of elements: [HTMLElement],
        name: String,
        page: FragmentName?,
        folder: String? = nil
    ) throws(MarkupError) {
        if let page {
            try check(elements, of: page, folder: folder)
        } else if !isMisnamed(elements, name: name) {
            try checkBroadcast(elements)
        }
    }

    private static func check(
        _ elements: [HTMLElement],
        of name: FragmentName,
        folder: String?
    ) throws(MarkupError) {
        guard let required = name.requiredTarget else { return try checkPurchase(elements) }
        for element in elements {
            guard let id = element.id, PageTarget.allCases.contains(where: { isID(id, of: $0, folder: folder) }) else {
                if element.id == Fragment.purchaseTarget { throw MarkupError("has id=\"purchase\"; \(forConsumables)") }
                throw MarkupError(
                    "<\(element.name)\(element.id.map { " id=\"\($0)\"" } ?? "")> replaces nothing; give it "
                        + "id=\"{{paywall}}\" or id=\"{{subscription_status}}\", or move it into the element that has it"
                )
            }
        }
        guard elements.contains(where: { isID($0.id ?? "", of: required, folder: folder) }) else {
            let reason = "the page keeps that id only if the fragment has it"
            let hint = name == .success ? "; \(forConsumables)" : ""
            throw MarkupError("has no element with id=\"\(required.placeholder)\" at the top level; \(reason)\(hint)")
        }
    }

    private static let forConsumables =
        "what a page shows of a consumable belongs into purchase.html or purchase.PRODUCT.html"

    private static func checkPurchase(_ elements: [HTMLElement]) throws(MarkupError) {
        guard elements.count == 1, elements[0].id == Fragment.purchaseTarget else {
            throw MarkupError("has to be one element with id=\"\(Fragment.purchaseTarget)\", which it replaces")
        }
    }

    /// A page's template with a typo in its name. It causes a warning and need not be valid as a broadcast template.
    private static func isMisnamed(_ elements: [HTMLElement], name: String) -> Bool {
        guard let meant = TemplateWarning.nearestFile(to: name).flatMap(FragmentName.init(rawValue:)) else {
            return false
        }
        return (try? check(elements, of: meant, folder: nil)) != nil
    }

    private static func checkBroadcast(_ elements: [HTMLElement]) throws(MarkupError) {
        guard elements.count == 1 else {
            throw MarkupError("has \(elements.count) elements at the top level; wrap them in one")
        }
        guard let id = elements[0].id, !id.isEmpty, !id.contains("{{") else {
            let todo = "give it the id of the element that it replaces, without a placeholder"
            throw MarkupError("<\(elements[0].name)> has no id; \(todo)")
        }
    }
}

extension PageTarget {
    /// The id as a template writes it that serves every entitlement.
    var placeholder: String {
        switch self {
        case .paywall: "{{paywall}}"
        case .subscriptionStatus: "{{subscription_status}}"
        }
    }
}

extension FragmentName {
    /// The target that a template of this name must contain; nil if it shows no state.
    var requiredTarget: PageTarget? {
        switch self {
        case .purchase: nil
        case .success, .pending, .paywall, .fixBilling, .paused, .revoked, .moved: .paywall
        case .manage, .warnBilling, .ending: .subscriptionStatus
        }
    }
}

/// The element of a page that a fragment replaces: one of the two of its entitlement.
struct PageElement: Equatable {
    let target: PageTarget
    /// What its id has more than the main entitlement's: empty, or `_maps`.
    let suffix: String

    /// Nil if `id` is not one of the two elements of `entitlement`, whose name stored fragments have unless it is the only
    /// one.
    init?(id: String?, entitlement: String?) {
        guard let id, let target = PageTarget.allCases.first(where: { id.hasPrefix($0.rawValue) }) else { return nil }
        let suffix = String(id.dropFirst(target.rawValue.count))
        guard suffix.isEmpty || entitlement.map({ suffix.hasSameBytes(as: "_" + $0) }) ?? false else { return nil }
        self.target = target
        self.suffix = suffix
    }

    /// `name` is the main entitlement's id of one of the two.
    func id(named name: String) -> String? { PageTarget(rawValue: name).map { $0.rawValue + suffix } }
}
