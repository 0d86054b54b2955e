/// What is wrong with one template file.
public struct TemplateProblem: Error, Equatable, CustomStringConvertible {
    /// As it is called inside the folder: `success.de.html`.
    public var file: String
    public var error: TemplateError

    public var description: String {
        // What is wrong with a file of a wrong name may be nothing but its name.
        let hint = TemplateWarning.nearestFile(to: file).map { ". Did you mean \($0)?" } ?? ""
        return "fragments/\(file): \(error)\(hint)"
    }
}

/// Everything that is wrong with the templates at start, so that one look is enough.
public struct TemplateProblems: Error, Equatable, CustomStringConvertible {
    public var problems: [TemplateProblem]

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
