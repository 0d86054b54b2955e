internal import Domain

/// Decides which target a template must contain.
extension TemplateFile {
    /// A page's template has only page targets, and the one that its name requires. Any other template is the app's own,
    /// for broadcasts: one element with an id. `page` is nil if no fragment has this name.
    static func checkTargets(of elements: [HTMLElement], name: String, page: FragmentName?) throws(TemplateError) {
        if let page {
            try check(elements, of: page)
        } else if !isMisnamed(elements, name: name) {
            try checkBroadcast(elements)
        }
    }

    private static func check(_ elements: [HTMLElement], of name: FragmentName) throws(TemplateError) {
        for element in elements {
            guard let id = element.id, PageTarget(rawValue: id) != nil else {
                throw .rootWithoutTarget(element: element.name, id: element.id)
            }
        }
        let required = name.requiredTarget.rawValue
        guard elements.contains(where: { $0.id == required }) else { throw .missingTarget(required) }
    }

    /// A page's template with a typo in its name. It causes a warning and need not be valid as a broadcast template.
    private static func isMisnamed(_ elements: [HTMLElement], name: String) -> Bool {
        guard let meant = TemplateWarning.nearestFile(to: name).flatMap(FragmentName.init(rawValue:)) else {
            return false
        }
        return (try? check(elements, of: meant)) != nil
    }

    private static func checkBroadcast(_ elements: [HTMLElement]) throws(TemplateError) {
        guard elements.count == 1 else { throw .notOneRoot(count: elements.count) }
        guard let id = elements[0].id, !id.isEmpty, !id.contains("{{") else {
            throw .rootWithoutID(element: elements[0].name)
        }
    }
}

extension FragmentName {
    /// The target that a template of this name must contain.
    var requiredTarget: PageTarget {
        switch self {
        case .success, .pending, .paywall, .fixBilling, .paused, .revoked, .moved: .paywall
        case .manage, .warnBilling, .ending: .subscriptionStatus
        }
    }
}
