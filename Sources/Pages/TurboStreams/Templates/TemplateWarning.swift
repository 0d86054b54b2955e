import Domain

/// Something about the template folder that is allowed but probably a mistake.
public struct TemplateWarning: Sendable, Equatable, CustomStringConvertible {
    public enum Cause: Sendable, Equatable {
        /// `hasVariants` is true if files with that name exist for some products or locales.
        case missing(hasVariants: Bool)
        /// The server served it before, and it is gone.
        case removed
        /// No fragment has this name, but one has a similar name.
        case misnamed(nearest: String)
        /// The last part of the name is a language, but not in the spelling that the lookup uses.
        case misspelledLocale(right: String)
        case emptyFolder
    }

    /// Its name inside the folder; empty for the folder itself.
    public var file: String
    public var cause: Cause

    public var description: String { "fragments/\(file) \(effect)" }

    /// What the problem is, and what pages see of it.
    public var effect: String {
        switch cause {
        case .missing(let hasVariants): "is missing: " + missing(hasVariants)
        case .removed where FragmentName(rawValue: key) != nil: "was removed: " + missing(false)
        case .removed: "was removed: a page that would show it gets a less specific template, or none"
        case .misnamed(let nearest):
            "is never shown: no fragment is called \(TemplateFile.name(of: key) ?? key); did you mean \(nearest)?"
        case .misspelledLocale(let right):
            "is never shown for a language: \(key.split(separator: ".").last ?? "") is taken for a product; did you mean \(right)?"
        case .emptyFolder: "has no templates: a page reloads at every change of its user's state"
        }
    }

    private func missing(_ hasVariants: Bool) -> String {
        switch FragmentName(rawValue: key) {
        case .paywall where !hasVariants:
            "a page whose user's access ends reloads, so that the app's own server renders its offers"
        case _ where hasVariants: "a page reloads when none of its variants fits"
        default: "a page that would show it reloads instead"
        }
    }

    private var key: String { TemplateLookup.key(of: file) }
}

extension TemplateWarning {
    /// `served` and `removed` are file names; `broken` are those whose problem is reported elsewhere.
    static func all(served: Set<String>, removed: Set<String>, broken: Set<String>) -> [TemplateWarning] {
        if served.isEmpty, removed.isEmpty, broken.isEmpty { return [TemplateWarning(file: "", cause: .emptyFolder)] }
        let names = Set(served.compactMap { TemplateFile.name(of: TemplateLookup.key(of: $0)) })
        var warnings = removed.map { TemplateWarning(file: $0, cause: .removed) }
        for name in FragmentName.allCases.map(\.rawValue) {
            let file = name + ".html"
            guard !served.contains(file), !removed.contains(file), !broken.contains(file) else { continue }
            warnings.append(TemplateWarning(file: file, cause: .missing(hasVariants: names.contains(name))))
        }
        for file in served {
            if let nearest = nearestFile(to: file) {
                warnings.append(TemplateWarning(file: file, cause: .misnamed(nearest: nearest)))
            } else if let right = rightSpelling(of: file) {
                warnings.append(TemplateWarning(file: file, cause: .misspelledLocale(right: right)))
            }
        }
        return warnings.sorted { $0.file < $1.file }
    }

    /// `success.pt-BR.html` for `success.pt_br.html`; nil when the spelling is right or the last part is no language.
    private static func rightSpelling(of file: String) -> String? {
        let parts = TemplateLookup.key(of: file).split(separator: ".")
        guard parts.count > 1, let last = parts.last.map(String.init), let language = LanguageTag(last),
            !language.text.hasSameBytes(as: last), LocalFormat.knows(language)
        else { return nil }
        return parts.dropLast().joined(separator: ".") + ".\(language).html"
    }

    /// The file that was probably meant: with the same product and locale, and a fragment's name. Nil when the name
    /// already is a fragment's, or resembles none: then the template is the app's own.
    static func nearestFile(to file: String) -> String? {
        let name = String(file.prefix { $0 != "." })
        guard FragmentName(rawValue: name) == nil,
            let near = nearest(to: name, among: FragmentName.allCases.map(\.rawValue))
        else { return nil }
        return near + file.dropFirst(name.count)
    }
}
