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
