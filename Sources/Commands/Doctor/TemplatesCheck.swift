internal import Pages
internal import Stores

/// The templates that a server with these settings would read, with the findings that the server would have.
struct TemplatesCheck {
    /// Nil without a public folder, which is reported with the settings.
    let publicFolder: String?

    var findings: [Finding] {
        guard let publicFolder else { return [] }
        do throws(TemplateProblems) {
            let warnings = try TemplateLoader(folder: "\(publicFolder)/fragments").warnings
            if warnings.isEmpty {
                return [.ok("templates", detail: "there is one for every state in \(publicFolder)/fragments")]
            }
            return warnings.map { .warn("templates", detail: $0.description) }
        } catch {
            return error.problems.map { .fail("templates", detail: $0.description) }
        }
    }
}
