public import APIModel
public import Domain

extension BroadcastRequest {
    /// Makes the fragment for `stream`, or throws the first error.
    public func fragment(on stream: StreamName, templates: TemplateRenderer) throws(BroadcastError) -> Fragment {
        guard let action = action ?? (template == nil ? nil : "replace") else {
            guard let html else { throw .missingAction }
            return try BroadcastMarkup(html).fragment(on: stream)
        }
        let isName = action.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "_-".utf8.contains($0)
        }
        guard isName, (1...64).contains(action.utf8.count) else {
            throw BroadcastError(
                "invalid_action",
                "action must be 1 to 64 letters, digits, _ or -, such as \"replace\""
            )
        }
        let target = if let target { target } else { try ownTarget(of: action, templates: templates) }
        try check(target, for: action)
        let content = try content(for: action, at: target, templates: templates)
        return Fragment(stream: stream, action: action, target: target, targets: targets, content: content)
    }

    /// A template replaces its own element, unless the request names another or the template has several.
    private func ownTarget(of action: String, templates: TemplateRenderer) throws(BroadcastError) -> String? {
        guard let template, targets == nil, action == "replace" else { return nil }
        let ids = templates.targets(of: template, values: values ?? [:])
        guard let id = ids.first else { throw .unknown(template) }
        guard ids.count == 1 else {
            let todo = "give one of their ids as target: \(ids.joined(separator: ", "))"
            throw BroadcastError("invalid_target", "template \(template) has several elements; \(todo)")
        }
        return id
    }

    private func check(_ target: String?, for action: String) throws(BroadcastError) {
        for case let text? in [target, targets] where !isValidIdentifier(text) {
            throw BroadcastError(
                "invalid_target",
                "target and targets must be 1 to 255 bytes without control characters"
            )
        }
        switch (target, targets) {
        case (_?, _?): throw BroadcastError("invalid_target", "target and targets are both given; give one of them")
        case (nil, nil) where actionsOnElements.contains(action):
            let todo = "needs a target (an element's id) or targets (a CSS selector)"
            throw BroadcastError("invalid_target", "\(action) \(todo)")
        default: break
        }
    }

    private func content(
        for action: String,
        at target: String?,
        templates: TemplateRenderer
    ) throws(BroadcastError) -> Fragment.Content {
        switch (template, html) {
        case (_?, _?): throw BroadcastError("invalid_content", "template and html are both given; give one of them")
        case (nil, nil):
            guard !actionsWithContent.contains(action) else {
                throw BroadcastError("invalid_content", "\(action) needs content; give template or html")
            }
            return .none
        case _ where action == "remove" || action == "refresh":
            throw BroadcastError("invalid_content", "\(action) shows no content; leave template and html out")
        case (nil, let html?):
            try BroadcastMarkup.checkContent(html)
            return .html(html)
        case (let template?, nil):
            let values = values ?? [:]
            switch templates.find(template, action: action, target: target, values: values) {
            case .template: return .template(name: template, values: values)
            case .otherTargets:
                let problem = "has no element with id=\"\(target ?? targets ?? "")\", so it cannot replace it"
                throw BroadcastError("unknown_template", "template \(template) \(problem); give its element that id")
            case .nothing: throw .unknown(template)
            }
        }
    }
}

/// Turbo's own actions: https://turbo.hotwired.dev/reference/streams. Others are custom actions with their own needs.
private let actionsWithContent: Set<String> = ["append", "prepend", "before", "after", "replace", "update"]
private let actionsOnElements = actionsWithContent.union(["remove"])

/// Why a broadcast is refused, in words for its publisher.
public struct BroadcastError: Error, Equatable, CustomStringConvertible {
    /// For programs: `invalid_html`, `invalid_action`, `invalid_target`, `invalid_content` or `unknown_template`.
    public let code: String
    public let description: String

    init(_ code: String, _ description: String) {
        self.code = code
        self.description = description
    }

    static let missingAction = BroadcastError(
        "invalid_action",
        "action is missing; give one such as \"replace\", in the JSON or on every <turbo-stream>"
    )

    static func unknown(_ template: String) -> BroadcastError {
        let todo = "add \(template).html to public/fragments"
        return BroadcastError("unknown_template", "there is no template named \(template); \(todo)")
    }

    static func markup(_ error: MarkupError) -> BroadcastError { BroadcastError("invalid_html", "html, \(error)") }
}
