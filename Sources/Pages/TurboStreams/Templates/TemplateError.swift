/// Why a template cannot be used, in words for its author.
public enum TemplateError: Error, Equatable, CustomStringConvertible {
    case unreadable(String)
    case tooLarge(limit: Int)
    case notUTF8
    case fileName
    case syntax(HTMLSyntaxError)
    case placeholder(line: Int)
    case tripleBraces(line: Int)
    case placeholderInCode(line: Int, place: String)
    case placeholderInTag(line: Int)
    case placeholderInComment(line: Int)
    case openBracket(line: Int)
    case unknownValue(line: Int, name: String, nearest: String?)
    case addressPrefix(line: Int, attribute: String)
    case rootWithoutTarget(element: String, id: String?)
    case rootWithoutID(element: String)
    case duplicateID(String)
    case missingTarget(String)
    case notOneRoot(count: Int)

    public var description: String {
        switch self {
        case .unreadable(let reason): "cannot be read (\(reason)); check its permissions"
        case .tooLarge(let limit): "is larger than \(limit / 1024) KiB; a fragment needs only a few"
        case .notUTF8: "is not UTF-8; save it as UTF-8"
        case .fileName:
            "is never used under this name; call it NAME.html, NAME.LOCALE.html, NAME.PRODUCT.html or NAME.PRODUCT.LOCALE.html "
                + "with NAME of a-z, 0-9 and _"
        case .syntax(let error): error.description
        case .placeholder(let line): "line \(line): a placeholder is {{name}}: letters, digits and _, closed by }}"
        case .tripleBraces(let line): "line \(line): {{{…}}} does not exist, every value is escaped; write {{…}}"
        case .placeholderInCode(let line, let place):
            "line \(line): a value cannot stand in \(place), where escaping does not help; "
                + "put it into a data- attribute and read it from there"
        case .placeholderInTag(let line):
            "line \(line): inside a tag a value may stand only in a quoted attribute; write name=\"{{…}}\""
        case .placeholderInComment(let line):
            "line \(line): nobody sees a value in a comment; take the {{…}} out of it"
        case .openBracket(let line):
            "line \(line): what follows this < could turn it into a tag; write &lt;"
        case .unknownValue(let line, let name, let nearest?):
            "line \(line): there is no value {{\(name)}}; did you mean {{\(nearest)}}?"
        case .unknownValue(let line, let name, nil):
            "line \(line): there is no value {{\(name)}}; values of your own belong to a template of another name, "
                + "which your broadcasts fill"
        case .addressPrefix(let line, let attribute):
            "line \(line): \(attribute) must begin with /, ?, # or https:// before its value, or have / ? or # behind it"
        case .rootWithoutTarget(let element, let id):
            "<\(element)\(id.map { " id=\"\($0)\"" } ?? "")> replaces nothing; give it id=\"paywall\" or "
                + "id=\"subscription_status\", or move it into the element that has it"
        case .rootWithoutID(let element):
            "<\(element)> has no id; give it the id of the element that it replaces, without a placeholder"
        case .duplicateID(let id): "has two elements with id=\"\(id)\"; keep one"
        case .missingTarget(let id):
            "has no element with id=\"\(id)\" at the top level; the page keeps that id only if the fragment has it"
        case .notOneRoot(let count): "has \(count) elements at the top level; wrap them in one"
        }
    }
}

/// A problem with one template file.
public struct TemplateProblem: Error, Equatable, CustomStringConvertible {
    /// Its name inside the folder: `success.de.html`.
    public var file: String
    public var error: TemplateError

    public var description: String {
        // The only mistake in a misnamed file may be its name.
        let hint = TemplateWarning.nearestFile(to: file).map { ". Did you mean \($0)?" } ?? ""
        return "fragments/\(file): \(error)\(hint)"
    }
}

/// All problems with the templates at start, so that an author sees them at once.
public struct TemplateProblems: Error, Equatable, CustomStringConvertible {
    public var problems: [TemplateProblem]

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
