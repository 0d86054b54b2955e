/// Why a broadcast is refused, in words for its publisher.
public enum BroadcastError: Error, Equatable, CustomStringConvertible {
    case notMarkup(line: Int)
    case emptyMarkup
    case missingAction
    case missingTemplateElement(line: Int)
    case severalTemplateElements(line: Int)
    case syntax(HTMLSyntaxError)
    case action
    case target
    case noTarget(action: String)
    case twoTargets
    case severalTargets(template: String, targets: [String])
    case noContent(action: String)
    case twoContents
    case superfluousContent(action: String)
    case unknownTemplate(String)
    case rootWithoutTarget(template: String, target: String)

    /// For programs: `invalid_html`, `invalid_action`, `invalid_target`, `invalid_content` or `unknown_template`.
    public var code: String {
        switch self {
        case .notMarkup, .emptyMarkup, .missingTemplateElement, .severalTemplateElements, .syntax: "invalid_html"
        case .missingAction, .action: "invalid_action"
        case .target, .noTarget, .twoTargets, .severalTargets: "invalid_target"
        case .noContent, .twoContents, .superfluousContent: "invalid_content"
        case .unknownTemplate, .rootWithoutTarget: "unknown_template"
        }
    }

    public var description: String {
        switch self {
        case .notMarkup(let line):
            "html, line \(line): without an action it must be <turbo-stream> elements and nothing else; "
                + "wrap it in one, or give action and target"
        case .emptyMarkup: "html is empty; give at least one <turbo-stream> element"
        case .missingAction: "action is missing; give one such as \"replace\", in the JSON or on every <turbo-stream>"
        case .missingTemplateElement(let line):
            "html, line \(line): the content of <turbo-stream> must be inside one <template>"
        case .severalTemplateElements(let line):
            "html, line \(line): a <turbo-stream> has one <template>; use another <turbo-stream> for the second one"
        case .syntax(let error): "html, \(error)"
        case .action: "action must be 1 to 64 letters, digits, _ or -, such as \"replace\""
        case .target: "target and targets must be 1 to 255 bytes without control characters"
        case .noTarget(let action): "\(action) needs a target (an element's id) or targets (a CSS selector)"
        case .twoTargets: "target and targets are both given; give one of them"
        case .severalTargets(let template, let targets):
            "template \(template) has several elements; give one of their ids as target: "
                + targets.joined(separator: ", ")
        case .noContent(let action): "\(action) needs content; give template or html"
        case .twoContents: "template and html are both given; give one of them"
        case .superfluousContent(let action): "\(action) shows no content; leave template and html out"
        case .unknownTemplate(let name):
            "there is no template named \(name); add \(name).html to public/fragments"
        case .rootWithoutTarget(let template, let target):
            "template \(template) has no element with id=\"\(target)\", so it cannot replace it; give its element that id"
        }
    }
}
