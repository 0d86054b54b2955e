public import Domain

/// A broadcast in parts: which action to apply to which element, and with which content.
public struct BroadcastForm: Sendable, Equatable {
    public var action: String
    /// A DOM id.
    public var target: String?
    /// A CSS selector.
    public var targets: String?
    /// The name of a template, which `values` fill.
    public var template: String?
    public var html: String?
    public var values: [String: String]

    public init(
        action: String,
        target: String? = nil,
        targets: String? = nil,
        template: String? = nil,
        html: String? = nil,
        values: [String: String] = [:]
    ) {
        self.action = action
        self.target = target
        self.targets = targets
        self.template = template
        self.html = html
        self.values = values
    }

    /// Makes the fragment for `stream`, or throws the first error.
    public func fragment(on stream: StreamName, templates: TemplateLookup) throws(BroadcastError) -> Fragment {
        try checkAction()
        var form = self
        if target == nil { form.target = try ownTarget(templates) }
        try form.checkTarget()
        let content = try form.content(templates)
        return Fragment(stream: stream, action: action, target: form.target, targets: targets, content: content)
    }

    /// A template replaces its own element, unless the form names another or the template has several.
    private func ownTarget(_ templates: TemplateLookup) throws(BroadcastError) -> String? {
        guard let template, targets == nil, action == "replace" else { return nil }
        let ids = templates.targets(of: template, values: values)
        guard let id = ids.first else { throw .unknownTemplate(template) }
        guard ids.count == 1 else { throw .severalTargets(template: template, targets: ids) }
        return id
    }

    private func checkAction() throws(BroadcastError) {
        let isName = action.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "_-".utf8.contains($0)
        }
        guard isName, (1...64).contains(action.utf8.count) else { throw .action }
    }

    private func checkTarget() throws(BroadcastError) {
        for text in [target, targets] {
            if let text, !isValidIdentifier(text) { throw .target }
        }
        switch (target, targets) {
        case (_?, _?): throw .twoTargets
        case (nil, nil) where actionsOnElements.contains(action): throw .noTarget(action: action)
        default: break
        }
    }

    private func content(_ templates: TemplateLookup) throws(BroadcastError) -> Fragment.Content {
        switch (template, html) {
        case (_?, _?): throw .twoContents
        case (nil, nil):
            guard !actionsWithContent.contains(action) else { throw .noContent(action: action) }
            return .none
        case _ where action == "remove" || action == "refresh": throw .superfluousContent(action: action)
        case (nil, let html?):
            try BroadcastMarkup.checkContent(html)
            return .html(html)
        case (let template?, nil):
            switch templates.find(template, action: action, target: target, values: values) {
            case .template: return .template(name: template, values: values)
            case .otherTargets: throw .rootWithoutTarget(template: template, target: target ?? targets ?? "")
            case .nothing: throw .unknownTemplate(template)
            }
        }
    }
}

/// Turbo's own actions: https://turbo.hotwired.dev/reference/streams. Others are custom actions with their own needs.
private let actionsWithContent: Set<String> = ["append", "prepend", "before", "after", "replace", "update"]
private let actionsOnElements = actionsWithContent.union(["remove"])
